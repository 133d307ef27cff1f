package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The findings on a composite: first on the store that grants, then on each store by its name. */
final class CompositeDiagnostics {

    private final FailoverStatus status;
    private final PrimaryStore primary;
    private final AuthorityStore authority;
    private final List<Finding> findings = new ArrayList<>();

    CompositeDiagnostics(FailoverStatus status, PrimaryStore primary, AuthorityStore authority) {
        this.status = status;
        this.primary = primary;
        this.authority = authority;
    }

    /** @throws LockUnavailableException if the authority does not answer */
    List<Finding> findings(Duration timeout) {
        grants();
        suspicion();
        dependence();
        add(status.fallback(), authority.diagnose(timeout));
        try {
            add(status.primary(), primary.diagnose(timeout));
        } catch (LockConfigurationException e) {
            findings.add(Finding.error(
                    status.primary(),
                    e.getMessage() + "; " + status.fallback() + " can grant meanwhile, with higher latency",
                    "fix that; each process retries every few seconds"));
        } catch (LockUnavailableException e) {
            findings.add(Finding.warning(
                    status.primary(),
                    e.getMessage() + "; " + status.fallback() + " can grant meanwhile, with higher latency",
                    "check that it runs, and that this machine can reach it"));
        }
        return findings;
    }

    private void grants() {
        if (status.active().equals(status.primary())) {
            findings.add(Finding.ok("failover", status.primary() + " grants, in epoch " + status.epoch()));
        } else {
            findings.add(Finding.note(
                    "failover",
                    status.active() + " grants, in epoch " + status.epoch() + ": " + status.cause(),
                    status.primary() + " grants again once it has been healthy for a while; see lock status"));
        }
    }

    private void suspicion() {
        if (status.suspecting() > 0) {
            findings.add(Finding.warning(
                    "suspicion",
                    status.suspecting() + " of " + status.members() + " processes cannot reach " + status.primary()
                            + ", or are refused by it: they get no lock while it grants",
                    "check the network between them and " + status.primary() + ", and the logs of these processes"));
        }
    }

    private void dependence() {
        findings.add(Finding.note(
                "authority",
                "while " + status.fallback() + " is away for longer than "
                        + DurationText.format(status.authorityLease())
                        + ", every lease ends and no lock is granted, as no process knows which store grants",
                "let it fail over to a synchronous standby only, and within that time if possible"));
    }

    private void add(String store, List<Finding> ofStore) {
        ofStore.forEach(each ->
                findings.add(new Finding(each.severity(), store + " " + each.subject(), each.found(), each.advice())));
    }
}
