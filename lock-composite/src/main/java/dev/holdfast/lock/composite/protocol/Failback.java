package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The failback to the primary, carried out by the one process whose BeginFailback was accepted: install the record, copy the grants
 * of the authority under it page by page, then activate the primary. A primary that loses a copy loses the record as well. Each call
 * is sent once. A call that fails, or may have failed, ends the failback: AbortFailback costs nothing, as the epoch has granted
 * nothing.
 */
final class Failback {

    /** A page is longer if its last name has several leases. */
    private static final int PAGE = 2_000;

    private enum Stage {
        INSTALL,
        FETCH,
        COPY,
        ACTIVATE,
        /** A call is in progress, or there is nothing to do. */
        WAIT
    }

    private final MemberState state;
    private long epoch;
    private Stage stage = Stage.WAIT;
    private Optional<LockName> after = Optional.empty();
    private List<TransferredLease> page = List.of();
    private @Nullable String failure;

    Failback(MemberState state) {
        this.state = state;
    }

    /** The BeginFailback of this process was accepted. */
    void begin(long newEpoch) {
        epoch = newEpoch;
        stage = Stage.INSTALL;
        after = Optional.empty();
        failure = null;
    }

    /** Why the failback of this process in this epoch failed; null if it did not. */
    @Nullable
    String failureIn(long inEpoch) {
        return inEpoch == epoch ? failure : null;
    }

    /** The next task for this store; null if there is none. */
    @Nullable
    StoreTask<?> next(AuthorityState current, StoreTask.Target target) {
        if (current.phase() != FailoverPhase.FAILING_BACK || current.epoch() != epoch || failure != null) {
            return null;
        }
        boolean isPrimary = target == StoreTask.Target.PRIMARY;
        return switch (stage) {
            case INSTALL -> isPrimary ? install(current) : null;
            case FETCH -> isPrimary ? null : fetch();
            case COPY -> isPrimary ? copy(current) : null;
            case ACTIVATE -> isPrimary ? null : activate();
            case WAIT -> null;
        };
    }

    private StoreTask<Boolean> install(AuthorityState current) {
        return task(
                "install the record of epoch " + current.epoch(),
                (primary, authority, timeout) -> {
                    primary.installTerm(current.primaryTerm(), current.tokenBase(), timeout);
                    return true;
                },
                installed -> stage = Stage.FETCH);
    }

    private StoreTask<List<TransferredLease>> fetch() {
        long asked = epoch;
        Optional<LockName> from = after;
        return task(
                "fetch what is held",
                (primary, authority, timeout) -> authority.leases(asked, from, PAGE, timeout),
                held -> {
                    page = held;
                    stage = held.isEmpty() ? Stage.ACTIVATE : Stage.COPY;
                });
    }

    private StoreTask<Integer> copy(AuthorityState current) {
        List<TransferredLease> grants = page;
        return task(
                "copy " + grants.size() + " grants",
                (primary, authority, timeout) -> {
                    primary.copyLeases(current.primaryTerm(), grants, timeout);
                    return grants.size();
                },
                count -> {
                    after = Optional.of(grants.get(count - 1).name());
                    stage = count < PAGE ? Stage.ACTIVATE : Stage.FETCH;
                });
    }

    private StoreTask<Boolean> activate() {
        Transition activate = new Transition.ActivatePrimary(epoch);
        return task(
                activate.toString(),
                (primary, authority, timeout) -> authority.transition(activate, timeout),
                activated -> {});
    }

    private <T> StoreTask<T> task(String description, StoreTask.Call<T> call, Consumer<T> next) {
        long asked = epoch;
        stage = Stage.WAIT;
        return new StoreTask<>(description, call, (result, thrown, sent, now) -> {
            state.mustRead = true;
            if (asked != epoch) {
                return;
            } else if (result == null) {
                failure = thrown == null ? "no answer" : String.valueOf(thrown.getMessage());
            } else {
                next.accept(result);
            }
        });
    }
}
