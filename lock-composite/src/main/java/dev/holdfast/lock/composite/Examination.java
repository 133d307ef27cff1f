package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What there is to say of a composite: of who grants, and then of each store, by its name. */
final class Examination {

    private final RegimeStatus regime;
    private final PrimaryStore primary;
    private final AuthorityStore authority;
    private final List<Finding> findings = new ArrayList<>();

    Examination(RegimeStatus regime, PrimaryStore primary, AuthorityStore authority) {
        this.regime = regime;
        this.primary = primary;
        this.authority = authority;
    }

    /** @throws LockUnavailableException if the authority does not answer */
    List<Finding> findings(Duration timeout) {
        grants();
        suspicion();
        dependence();
        add(regime.fallback(), authority.findings(timeout));
        try {
            add(regime.primary(), primary.findings(timeout));
        } catch (LockConfigurationException e) {
            findings.add(Finding.error(
                    regime.primary(),
                    e.getMessage() + "; " + regime.fallback() + " can grant meanwhile, more slowly",
                    "mend that: each process tries again every few seconds"));
        } catch (LockUnavailableException e) {
            findings.add(Finding.warning(
                    regime.primary(),
                    e.getMessage() + "; " + regime.fallback() + " can grant meanwhile, more slowly",
                    "see that it runs, and that this machine may reach it there"));
        }
        return findings;
    }

    private void grants() {
        if (regime.grants().equals(regime.primary())) {
            findings.add(Finding.fine("regime", regime.primary() + " grants, in epoch " + regime.epoch()));
        } else {
            findings.add(Finding.note(
                    "regime",
                    regime.grants() + " grants, in epoch " + regime.epoch() + ": " + regime.cause(),
                    regime.primary() + " grants again once it has been well for a while; lock status shows it"));
        }
    }

    private void suspicion() {
        if (regime.suspecting() > 0) {
            findings.add(Finding.warning(
                    "suspicion",
                    regime.suspecting() + " of " + regime.members() + " processes cannot reach " + regime.primary()
                            + ", or are refused by it: they get no lock while it grants",
                    "see what lies between them and " + regime.primary()
                            + ", and what the logs of these processes say of it"));
        }
    }

    private void dependence() {
        findings.add(Finding.note(
                "authority",
                "while " + regime.fallback() + " is away for longer than " + DurationText.format(regime.regimeLease())
                        + ", nobody holds or gets a lock, as nobody may say who grants",
                "let it fail over to a synchronous standby only, and sooner than that if it can"));
    }

    private void add(String store, List<Finding> its) {
        its.forEach(each ->
                findings.add(new Finding(each.severity(), store + " " + each.subject(), each.found(), each.advice())));
    }
}
