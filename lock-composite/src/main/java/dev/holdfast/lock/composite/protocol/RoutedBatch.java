package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.composite.protocol.HeldLease.LeaseKey;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.StaleTermException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands and their routes in the authority state that was known: all that are sent go to one store. */
public final class RoutedBatch {

    private final List<LockCommand> commands;
    private final List<Route> routes;
    private final @Nullable AuthorityState current;
    private final long transitions;
    private final long reads;
    private final List<LockCommand> sent = new ArrayList<>();

    /**
     * A batch that {@link Member#settle} takes back with the replies.
     *
     * @param transitions the number of transitions that the member had seen
     * @param reads the number of reads of the authority state that had ended
     */
    RoutedBatch(
            List<LockCommand> commands,
            List<Route> routes,
            @Nullable AuthorityState current,
            long transitions,
            long reads) {
        this.commands = commands;
        this.routes = routes;
        this.current = current;
        this.transitions = transitions;
        this.reads = reads;
        for (Route route : routes) {
            if (route instanceof Route.Send send) {
                sent.add(send.command());
            }
        }
    }

    /** The commands to send to a store; empty if no store is needed. */
    public List<LockCommand> sent() {
        return sent;
    }

    /** The authority state under which the commands are sent. */
    public AuthorityState authorityState() {
        if (current == null) {
            throw new IllegalStateException("no command is sent before the authority state is known");
        }
        return current;
    }

    public boolean isForPrimary() {
        return authorityState().phase() == FailoverPhase.PRIMARY;
    }

    List<LockCommand> commands() {
        return commands;
    }

    /** Whether a later command of this batch releases the lease of the command at this place. */
    boolean releasesAfter(int at) {
        LeaseKey key = LeaseKey.of(commands.get(at));
        return commands.subList(at + 1, commands.size()).stream()
                .anyMatch(later -> later instanceof LockCommand.Release
                        && LeaseKey.of(later).equals(key));
    }

    List<Route> routes() {
        return routes;
    }

    long transitions() {
        return transitions;
    }

    long reads() {
        return reads;
    }

    /** Whether the command was not carried out, and may be sent again once more is known of the authority state. */
    public static boolean isRetryable(LockReply reply) {
        return isDeposed(reply) || isUnknown(reply);
    }

    private static boolean isDeposed(LockReply reply) {
        return reply instanceof LockReply.Unavailable unavailable && unavailable.cause() instanceof StaleTermException;
    }

    /** Whether the command waits for a read of the authority state, not for a transition. */
    static boolean isUnknown(LockReply reply) {
        return reply instanceof LockReply.Unavailable unavailable
                && unavailable.cause() instanceof RoutingPolicy.AuthorityUnknownException;
    }
}
