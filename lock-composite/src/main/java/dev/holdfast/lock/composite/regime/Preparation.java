package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The return to the primary, as the one process carries it out whose proposal was made: the mark is installed, what the authority
 * granted is copied under it page by page, then the primary is crowned. If the primary forgets what was copied, it forgets the mark
 * as well. Each is asked once. Whatever fails, or may have, ends it: the epoch is burned, at no cost, as nobody was ever granted
 * anything in it.
 */
final class Preparation {

    private static final int PAGE = 2_000;

    private enum Stage {
        INSTALL,
        FETCH,
        COPY,
        CROWN,
        DONE
    }

    private final State state;
    private long epoch;
    private Stage stage = Stage.DONE;
    private Optional<LockName> after = Optional.empty();
    private List<Carried> page = List.of();
    private @Nullable String failure;

    Preparation(State state) {
        this.state = state;
    }

    /** This process's proposal was made. */
    void begin(long prepared) {
        epoch = prepared;
        stage = Stage.INSTALL;
        after = Optional.empty();
        failure = null;
    }

    /** Why this process's return under this regime failed; null if it did not. */
    @Nullable
    String failureOf(Regime regime) {
        return regime.epoch() == epoch ? failure : null;
    }

    /** What is to be asked next; null if nothing is. */
    @Nullable
    Duty<?> next(Regime regime, Lane lane) {
        if (regime.mode() != Mode.PREPARE || regime.epoch() != epoch || failure != null) {
            return null;
        }
        return switch (stage) {
            case INSTALL -> lane == Lane.PRIMARY ? install(regime) : null;
            case FETCH -> lane == Lane.AUTHORITY ? fetch() : null;
            case COPY -> lane == Lane.PRIMARY ? copy(regime) : null;
            case CROWN -> lane == Lane.AUTHORITY ? crown() : null;
            case DONE -> null;
        };
    }

    private Duty<Boolean> install(Regime regime) {
        stage = Stage.DONE;
        return new Duty<>(
                "install the mark of epoch " + regime.epoch(),
                (primary, authority, timeout) -> {
                    primary.install(regime.reign(), regime.base(), timeout);
                    return true;
                },
                concluded(regime.epoch(), installed -> stage = Stage.FETCH));
    }

    private Duty<List<Carried>> fetch() {
        stage = Stage.DONE;
        long asked = epoch;
        return new Duty<>(
                "what is held",
                (primary, authority, timeout) -> authority.held(asked, after, PAGE, timeout),
                concluded(asked, held -> {
                    page = held;
                    stage = held.isEmpty() ? Stage.CROWN : Stage.COPY;
                }));
    }

    private Duty<Integer> copy(Regime regime) {
        stage = Stage.DONE;
        List<Carried> grants = page;
        return new Duty<>(
                "copy " + grants.size() + " grants",
                (primary, authority, timeout) -> {
                    primary.copy(regime.reign(), grants, timeout);
                    return grants.size();
                },
                concluded(regime.epoch(), count -> {
                    after = Optional.of(grants.get(count - 1).name());
                    stage = count < PAGE ? Stage.CROWN : Stage.FETCH;
                }));
    }

    private Duty<Boolean> crown() {
        stage = Stage.DONE;
        Transition crown = new Transition.Crown(epoch);
        return new Duty<>(
                crown.toString(),
                (primary, authority, timeout) -> authority.change(crown, timeout),
                concluded(epoch, crowned -> {}));
    }

    private <T> Duty.Conclusion<T> concluded(long asked, Consumer<T> then) {
        return (answer, why, sent, now) -> {
            state.readSoon();
            if (asked != epoch) {
                return;
            } else if (answer == null) {
                failure = why == null ? "no answer" : String.valueOf(why.getMessage());
            } else {
                then.accept(answer);
            }
        };
    }
}
