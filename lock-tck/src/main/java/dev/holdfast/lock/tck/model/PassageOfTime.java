package dev.holdfast.lock.tck.model;

import dev.holdfast.lock.tck.model.LockModel.Granted;
import dev.holdfast.lock.tck.model.LockModel.Kept;
import dev.holdfast.lock.tck.model.LockModel.Next;
import dev.holdfast.lock.tck.model.LockModel.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The states of a lock that are possible at an instant if no command came meanwhile: leases, minimum holds and places may have ended. */
final class PassageOfTime {

    /** As many as there are while the ends of ten leases and places are uncertain: each doubles them. */
    private static final int MAX_STATES = 1_024;

    static <T> List<T> few(List<T> states) {
        if (states.size() > MAX_STATES) {
            throw new Explanation.Undecided("more than " + MAX_STATES
                    + " states are possible at one instant: the ends of too many leases and places are uncertain");
        }
        return states;
    }

    private final Span now;

    /** @param now the instant, as far as it is known */
    PassageOfTime(Span now) {
        this.now = now;
    }

    /** A state, and when the last lease or minimum hold ended that is not in it any more. */
    private record Passed(LockModel model, @Nullable Span free) {

        LockModel settled() {
            Span since = free;
            return since == null ? model : model.change(next -> next.openClaimWindows(since, false));
        }
    }

    /** The states to which this one may lead. */
    List<LockModel> from(LockModel before) {
        List<Passed> states = List.of(new Passed(before, null));
        for (Granted lease : before.leases()) {
            states = each(
                    states,
                    lease.until(),
                    next -> next.end(lease),
                    (next, until) -> next.replace(lease, lease.until(until)));
        }
        for (Kept kept : before.kept()) {
            states = each(
                    states,
                    kept.until(),
                    next -> next.end(kept),
                    (next, until) -> next.replace(kept, kept.until(until)));
        }
        return few(states).stream()
                .map(Passed::settled)
                .flatMap(state -> whenNoWaiterCame(state).stream())
                .toList();
    }

    /** The states in which this end has come by now, or not. */
    private List<Passed> each(List<Passed> states, Span end, Consumer<Next> come, BiConsumer<Next, Span> ahead) {
        List<Passed> after = new ArrayList<>();
        for (Passed state : few(states)) {
            if (end.mayHaveCome(now)) {
                Span free = state.free();
                Span ended = end.come(now);
                after.add(new Passed(state.model().change(come), free == null ? ended : free.or(ended)));
            }
            if (!end.mustHaveCome(now)) {
                Span left = new Span(Math.max(end.from(), now.from()), end.to());
                after.add(new Passed(state.model().change(next -> ahead.accept(next, left)), state.free()));
            }
        }
        return after;
    }

    /**
     * Drops the waiters whose places must have expired, and perhaps those whose places may have. For exclusive locks only the first
     * ones of these are tried: one further behind matters only when it asks again, becomes the first, or is listed. A store need not
     * see the death of a waiter before the next Acquire: until then it is open when the claim window of the next waiter begins.
     */
    private List<LockModel> whenNoWaiterCame(LockModel before) {
        boolean hasShares =
                before.queue().stream().anyMatch(waiter -> !waiter.share().isExclusive());
        List<LockModel> states = List.of(before);
        for (Waiter waiter : before.queue()) {
            Span end = waiter.end();
            if (!end.mayHaveCome(now)) {
                continue;
            }
            List<LockModel> next = new ArrayList<>();
            for (LockModel state : few(states)) {
                if (!end.mustHaveCome(now)) {
                    next.add(state);
                }
                if (end.mustHaveCome(now)
                        || hasShares
                        || state.queue().get(0).id().equals(waiter.id())) {
                    long from = waiter.due() == null ? end.from() : waiter.due().from();
                    next.add(state.without(waiter, Span.openFrom(Math.min(from, now.from()))));
                }
            }
            states = next;
        }
        return states;
    }
}
