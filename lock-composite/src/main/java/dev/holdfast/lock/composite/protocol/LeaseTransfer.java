package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Transfers the leases of this process into a new epoch: asserts them at the authority while grants drain, and confirms them by a
 * renewal where the store knows them already. In both cases a lease is transferred only once a store has confirmed it.
 */
final class LeaseTransfer {

    private static final int PAGE = 500;

    /** A renewal never shortens a lease: one of this length only asks for a reply. */
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final MemberState state;
    private final SafetyRules rules;
    private @Nullable DualClockInstant failedAt;
    private int transferred;

    LeaseTransfer(MemberState state, SafetyRules rules) {
        this.state = state;
        this.rules = rules;
    }

    /** A new epoch has begun. */
    void reset() {
        transferred = 0;
        failedAt = null;
    }

    /** The number of leases that were transferred into this epoch. */
    int transferred() {
        return transferred;
    }

    /** The number of leases that may still be transferred into this epoch. */
    int expected(AuthorityState current, DualClockInstant now) {
        return state.leases.count(leasesOf(current.epoch(), now));
    }

    private Predicate<HeldLease> leasesOf(long epoch, DualClockInstant now) {
        return held -> !held.isKept() && rules.mayBeTransferred(held, epoch, now);
    }

    /** The next task for this store; null if there is none for now. */
    @Nullable
    StoreTask<?> next(AuthorityState current, StoreTask.Target target, DualClockInstant now) {
        if (failedAt != null && failedAt.until(now).compareTo(state.timing.retryInterval()) < 0) {
            return null;
        }
        boolean isAuthority = target == StoreTask.Target.AUTHORITY;
        return switch (current.phase()) {
            case DRAINING -> isAuthority ? assertion(current.epoch(), now) : null;
            case FALLBACK -> isAuthority ? confirmation(current, now) : null;
            case PRIMARY -> isAuthority ? null : confirmation(current, now);
            case FAILING_BACK -> null;
        };
    }

    private @Nullable StoreTask<List<LockReply>> assertion(long epoch, DualClockInstant now) {
        List<HeldLease> page = state.leases.page(leasesOf(epoch, now), PAGE);
        if (page.isEmpty()) { // leases come first: a minimum hold has time until the fallback is activated
            page = state.leases.page(held -> rules.mayBeTransferred(held, epoch, now), PAGE);
        }
        if (page.isEmpty()) {
            return null;
        }
        page.forEach(held -> state.leases.put(held.beingAssertedIn(epoch, now))); // the time left is fixed now
        List<TransferredLease> grants =
                page.stream().map(held -> held.toTransfer(now)).toList();
        return new StoreTask<>(
                "assert " + page.size() + " leases",
                (primary, authority, timeout) -> authority.assertLeases(epoch, grants, timeout),
                completion(page, epoch));
    }

    private @Nullable StoreTask<List<LockReply>> confirmation(AuthorityState current, DualClockInstant now) {
        List<HeldLease> page = state.leases.page(leasesOf(current.epoch(), now), PAGE);
        if (page.isEmpty()) {
            return null;
        }
        List<LockCommand> renewals = page.stream()
                .map(held -> (LockCommand)
                        new LockCommand.Renew(held.key().name(), held.key().id(), SHORTEST, held.share()))
                .toList();
        boolean isPrimary = current.phase() == FailoverPhase.PRIMARY;
        return new StoreTask<>(
                "confirm " + page.size() + " leases",
                (primary, authority, timeout) -> isPrimary
                        ? primary.execute(current.primaryTerm(), renewals, timeout)
                        : authority.execute(current.epoch(), renewals, timeout),
                completion(page, current.epoch()));
    }

    private StoreTask.Completion<List<LockReply>> completion(List<HeldLease> page, long epoch) {
        return (replies, failure, sent, now) -> {
            if (replies == null) {
                failedAt = now;
                return;
            }
            for (int at = 0; at < page.size(); at++) {
                settle(page.get(at), epoch, replies.get(at), now);
            }
        };
    }

    /** @param sent the lease as it was when the task was made; a release may have changed it meanwhile */
    private void settle(HeldLease sent, long epoch, LockReply reply, DualClockInstant now) {
        HeldLease held = state.leases.get(sent.key());
        if (held == null || held.token() != sent.token() || held.isKept() != sent.isKept()) {
            return; // released meanwhile
        } else if (reply instanceof LockReply.Granted granted && granted.token() == held.token()) {
            HeldLease confirmed = state.confirmed(held, epoch, now);
            state.leases.put(confirmed);
            transferred += confirmed.isKept() || confirmed.epoch() != epoch ? 0 : 1;
        } else if (reply instanceof LockReply.Unavailable unavailable) {
            failedAt = now;
            if (unavailable.cause() instanceof StaleTermException) {
                state.mustRead = true;
            }
        } else if (rules.endsLease(held, epoch)) {
            state.ended(held, now);
        }
    }
}
