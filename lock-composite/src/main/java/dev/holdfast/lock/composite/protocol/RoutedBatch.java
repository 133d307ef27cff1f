package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands, and where they go in the authority state that was known: all that are sent go to one store. */
public final class RoutedBatch {

    private final List<Step> commands;
    private final List<Route> routes;
    private final @Nullable Regime current;
    private final long transitions;
    private final long reads;
    private final List<Step> sent = new ArrayList<>();

    /**
     * A batch that {@link Member#settle} takes back with the replies.
     *
     * @param transitions how many transitions the member had seen
     * @param reads how many reads of the authority state had ended
     */
    RoutedBatch(List<Step> commands, List<Route> routes, @Nullable Regime current, long transitions, long reads) {
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

    /** What a store is to be sent; empty if no store is needed. */
    public List<Step> sent() {
        return sent;
    }

    /** The authority state under which the commands are sent. */
    public Regime authorityState() {
        if (current == null) {
            throw new IllegalStateException("no command is sent before the authority state is known");
        }
        return current;
    }

    public boolean isForPrimary() {
        return authorityState().mode() == Mode.PRIMARY;
    }

    List<Step> commands() {
        return commands;
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
    public static boolean isRetryable(Answer reply) {
        return isDeposed(reply) || isUnknown(reply);
    }

    private static boolean isDeposed(Answer reply) {
        return reply instanceof Answer.Unavailable unavailable && unavailable.why() instanceof DeposedException;
    }

    /** Whether the command waits for a read of the authority state, not for a transition. */
    static boolean isUnknown(Answer reply) {
        return reply instanceof Answer.Unavailable unavailable
                && unavailable.why() instanceof RoutingPolicy.AuthorityUnknownException;
    }
}
