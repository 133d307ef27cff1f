package dev.holdfast.lock.composite.member;

import dev.holdfast.lock.composite.protocol.RoutedBatch;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

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
        LockReply[] replies = new LockReply[commands.size()];
        List<Integer> open = IntStream.range(0, commands.size()).boxed().toList();
        while (true) {
            RoutedBatch batch = member.route(open.stream().map(commands::get).toList());
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
            Iterator<LockReply> settled = member.settle(batch, received, sent).iterator();
            open.forEach(at -> replies[at] = settled.next());
            open = open.stream()
                    .filter(at -> RoutedBatch.isRetryable(replies[at]))
                    .toList();
            List<LockReply> refused = open.stream().map(at -> replies[at]).toList();
            if (open.isEmpty() || !member.await(state -> state.hasNewsSince(batch, refused), left(deadline))) {
                return Arrays.asList(replies);
            }
        }
    }

    /** Never zero: a store needs some time. */
    private static Duration left(Deadline deadline) {
        return Duration.ofMillis(Math.max(1, deadline.millisLeft()));
    }
}
