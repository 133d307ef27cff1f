package dev.holdfast.lock.composite.member;

import dev.holdfast.lock.composite.protocol.RoutedBatch;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/**
 * Sends commands to the store that grants. A command that is refused because of a transition is routed again under the new authority
 * state, while there is time. Thread-safe.
 */
public final class CommandRouter {

    private final SerializedMember member;
    private final PrimaryStore primary;
    private final AuthorityStore authority;

    public CommandRouter(SerializedMember member, PrimaryStore primary, AuthorityStore authority) {
        this.member = member;
        this.primary = primary;
        this.authority = authority;
    }

    /** As {@link dev.holdfast.lock.spi.LockStore#execute}. */
    public List<LockReply> execute(List<LockCommand> commands, Deadline deadline) {
        RoutedBatch batch = member.route(commands);
        List<LockReply> replies = call(batch, deadline);
        List<LockReply> refused = refused(replies, replies);
        if (!refused.isEmpty() && member.await(state -> state.hasNewsSince(batch, refused), left(deadline))) {
            Iterator<LockReply> later =
                    execute(refused(commands, replies), deadline).iterator();
            replies.replaceAll(reply -> RoutedBatch.isRetryable(reply) ? later.next() : reply);
        }
        return replies;
    }

    private List<LockReply> call(RoutedBatch batch, Deadline deadline) {
        DualClockInstant sent = member.now();
        List<LockReply> received;
        try {
            received = batch.sent().isEmpty()
                    ? List.of()
                    : batch.isForPrimary()
                            ? primary.execute(batch.authorityState().primaryTerm(), batch.sent(), left(deadline))
                            : authority.execute(batch.authorityState().epoch(), batch.sent(), left(deadline));
        } catch (RuntimeException e) {
            received = Collections.nCopies(batch.sent().size(), new LockReply.Unavailable(e));
        }
        return member.settle(batch, received, sent);
    }

    /** The elements of a batch whose replies are retryable: usually none, which costs nothing. */
    private static <T> List<T> refused(List<T> all, List<LockReply> replies) {
        List<T> refused = List.of();
        for (int at = 0; at < replies.size(); at++) {
            if (RoutedBatch.isRetryable(replies.get(at))) {
                refused = refused.isEmpty() ? new ArrayList<>() : refused;
                refused.add(all.get(at));
            }
        }
        return refused;
    }

    /** Never zero: a store needs some time. */
    private static Duration left(Deadline deadline) {
        return Duration.ofMillis(Math.max(1, deadline.millisLeft()));
    }
}
