package dev.holdfast.lock.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A store that executes one command at a time: the class to extend unless the system executes batches faster. The reply to a
 * command that throws is {@link LockReply.Unavailable}; the other commands are executed nevertheless.
 */
public abstract class SimpleLockStore implements LockStore {

    /** For subclasses. */
    protected SimpleLockStore() {}

    /**
     * Executes one {@link LockCommand.Acquire}.
     *
     * @return {@link LockReply.Granted}, {@link LockReply.Queued}, {@link LockReply.Busy}, {@link LockReply.Gone} or
     *     {@link LockReply.Unavailable}
     * @throws Exception if the outcome is unknown
     */
    protected abstract LockReply acquire(LockCommand.Acquire command, Duration timeout) throws Exception;

    /**
     * Executes one {@link LockCommand.Renew}.
     *
     * @return {@link LockReply.Granted}, {@link LockReply.Gone} or {@link LockReply.Unavailable}
     * @throws Exception if the outcome is unknown
     */
    protected abstract LockReply renew(LockCommand.Renew command, Duration timeout) throws Exception;

    /**
     * Executes one {@link LockCommand.Release}.
     *
     * @return {@link LockReply.Released} or {@link LockReply.Unavailable}
     * @throws Exception if the outcome is unknown
     */
    protected abstract LockReply release(LockCommand.Release command, Duration timeout) throws Exception;

    /**
     * Executes one command after the other, each with half of the remaining time, so that a hanging command leaves time for
     * the others; the last one gets all of it. After the timeout the remaining commands are unavailable.
     */
    @Override
    public final List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        if (!capabilities().contains(Capability.SHARES)) {
            Share.requireExclusive(commands);
        }
        long start = System.nanoTime();
        List<LockReply> replies = new ArrayList<>(commands.size());
        for (LockCommand command : commands) {
            Duration left = timeout.minusNanos(System.nanoTime() - start);
            boolean isLast = replies.size() == commands.size() - 1;
            Duration part = isLast ? left : left.dividedBy(2);
            replies.add(part.isNegative() || part.isZero() ? late(timeout) : one(command, part));
        }
        return replies;
    }

    private LockReply one(LockCommand command, Duration timeout) {
        try {
            if (command instanceof LockCommand.Acquire acquire) {
                return acquire(acquire, timeout);
            } else if (command instanceof LockCommand.Renew renew) {
                return renew(renew, timeout);
            } else {
                return release((LockCommand.Release) command, timeout);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new LockReply.Unavailable(e);
        } catch (Exception e) {
            return new LockReply.Unavailable(e);
        }
    }

    private static LockReply late(Duration timeout) {
        return new LockReply.Unavailable(
                new IllegalStateException("the commands before this one used up the timeout of " + timeout));
    }
}
