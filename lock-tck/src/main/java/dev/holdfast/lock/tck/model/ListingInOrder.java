package dev.holdfast.lock.tck.model;

import dev.holdfast.lock.spi.LockInfo;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What a listing must show of a lock in a state, while no command is under way. Dead waiters may be hidden or not.
 *
 * @param now when it was made
 * @param why receives what it should have shown
 */
record ListingInOrder(LockModel lock, Span now, Consumer<String> why) {

    boolean matches(Optional<LockInfo> shown) {
        boolean isTaken = !lock.leases().isEmpty() || !lock.kept().isEmpty();
        if (shown.isEmpty()) {
            boolean isRight = !isTaken && areWaiters(List.of());
            if (!isRight) {
                why.accept("the lock is "
                        + (!lock.leases().isEmpty() ? "held" : isTaken ? "kept" : "waited for")
                        + ", so it must be listed");
            }
            return isRight;
        }
        if (!isTaken && lock.queue().isEmpty()) {
            why.accept("the lock is neither held, kept nor waited for, so it must not be listed");
            return false;
        }
        return matches(shown.get());
    }

    private boolean matches(LockInfo info) {
        if (!areHolders(info.holders())) {
            return false;
        }
        if (info.minimumHoldUntil().isPresent() == lock.kept().isEmpty()) {
            why.accept("the lock is " + (lock.kept().isEmpty() ? "not " : "") + "kept by a minimum hold");
            return false;
        }
        if (!areWaiters(info.waiters())) {
            why.accept("the listed waiters must be "
                    + lock.queue().stream()
                            .map(waiter -> LockModel.shortened(waiter.owner()))
                            .toList());
            return false;
        }
        return true;
    }

    private boolean areHolders(List<LockInfo.Holder> shown) {
        List<LockModel.Granted> leases = lock.leases();
        if (!shown.stream()
                .map(LockInfo.Holder::id)
                .toList()
                .equals(leases.stream().map(LockModel.Granted::id).toList())) {
            why.accept("the listed holders, in the order of their tokens, must be "
                    + leases.stream().map(LockModel.Granted::owner).toList());
            return false;
        }
        for (int at = 0; at < shown.size(); at++) {
            if (!leases.get(at).mayHave(shown.get(at).token())
                    || !leases.get(at).share().equals(shown.get(at).share())) {
                why.accept("the listed token and share must be "
                        + leases.get(at).token() + " and " + leases.get(at).share());
                return false;
            }
        }
        return true;
    }

    /** Whether these are the waiters, but for those whose places may have expired, or that may have missed their claim windows. */
    private boolean areWaiters(List<LockInfo.Waiter> shown) {
        boolean[] reached = new boolean[shown.size() + 1]; // how many of the shown ones may be explained so far
        reached[0] = true;
        for (LockModel.Waiter waiter : lock.queue()) {
            boolean mayBeHidden = waiter.end().mayHaveCome(now) || waiter.mayHaveMissed(now);
            for (int count = shown.size(); count >= 0; count--) {
                reached[count] = (mayBeHidden && reached[count])
                        || (count > 0 && reached[count - 1] && isSame(waiter, shown.get(count - 1)));
            }
        }
        return reached[shown.size()];
    }

    private static boolean isSame(LockModel.Waiter waiter, LockInfo.Waiter shown) {
        return LockModel.isSame(waiter.owner(), shown.owner()) && waiter.share().equals(shown.share());
    }
}
