package dev.holdfast.lock.tck.model;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The search for an order in which a store may have executed the operations of one lock: each at an instant between its call
 * and its return, so that the model gives the recorded replies. A history without one is wrong (M. Herlihy, J. Wing,
 * "Linearizability", 1990; the search is that of J. Wing and C. Gong, "Testing and verifying concurrent objects", 1993, with
 * the times of {@link Span} in place of instants).
 */
public final class Explanation {

    /** More states than nearly any history of the kit has; a search that is cut off here decides nothing. */
    private static final int MAX_STATES = 10_000;

    /** The same of its steps: each state has a thousand of them while the ends of ten leases are uncertain. */
    private static final int MAX_STEPS = 100_000;

    private final int maxSteps;
    private final List<Operation> operations;
    private final Set<State> seen = new HashSet<>();
    private final BitSet answered = new BitSet();

    /** For each operation with a reply, the operation before it in the same call; -1 if there is none. */
    private final int[] before;

    private int steps;
    private int mostExplained = -1;
    private List<Operation> explained = List.of();
    private final Set<Objection> objections = new LinkedHashSet<>();

    /**
     * The operations that were executed, and the resulting state of the lock.
     *
     * @param done by their positions in the history
     */
    private record State(BitSet done, LockModel model) {}

    /** The replies that were possible after the explained operations. */
    private record Objection(Operation operation, String demand) {}

    /** A history that no order of its operations explains. */
    public record Contradiction(List<Operation> explained, List<Refusal> refusals) {}

    /** An operation whose reply the model does not allow, and what the reply should have been. */
    public record Refusal(Operation operation, String demand) {}

    /** The history is too entangled to be judged. */
    public static final class Undecided extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Undecided(String message) {
            super(message);
        }
    }

    private Explanation(List<Operation> history, int maxSteps) {
        this.maxSteps = maxSteps;
        operations = history.stream()
                .sorted(Comparator.comparingLong((Operation each) ->
                                each.call().invoked() / 2 + each.call().returned() / 2)
                        .thenComparingInt(Operation::position)) // the likely order first
                .toList();
        for (int at = 0; at < operations.size(); at++) {
            answered.set(at, operations.get(at).isAnswered());
        }
        before = IntStream.range(0, operations.size()).map(this::answeredBefore).toArray();
    }

    private int answeredBefore(int at) {
        Operation operation = operations.get(at);
        return answered.stream()
                .filter(other -> operations.get(other).call().number()
                                == operation.call().number()
                        && operations.get(other).position() < operation.position())
                .boxed()
                .max(Comparator.comparingInt(other -> operations.get(other).position()))
                .orElse(-1);
    }

    /**
     * Looks for an order that explains the history of one lock. Listings beside commands that were under way are no part of it: they are
     * judged by what holds in any order. Nor is what a reply of Gone says before a release has been answered.
     *
     * @param queues whether the store has queues
     * @return why there is none; empty if there is one
     * @throws Undecided if the search was cut off
     */
    public static Optional<Contradiction> missing(List<Operation> history, boolean queues) {
        return missing(history, queues, MAX_STEPS);
    }

    /** For tests. */
    static Optional<Contradiction> missing(List<Operation> history, boolean queues, int maxSteps) {
        List<Operation> steps = new ArrayList<>(history);
        for (Operation operation : history) {
            if (operation instanceof Operation.Listed listing && ListingInAnyOrder.isBesideACommand(listing, history)) {
                Optional<String> demand = ListingInAnyOrder.objection(listing, history);
                if (demand.isPresent()) {
                    return Optional.of(new Contradiction(List.of(), List.of(new Refusal(listing, demand.get()))));
                }
                steps.remove(operation);
            } else if (isGoneBeforeAReleaseWasAnswered(operation, history)) {
                steps.remove(operation);
            }
        }
        Explanation search = new Explanation(steps, maxSteps);
        if (search.explain(new BitSet(), LockModel.unused(queues), new ArrayList<>())) {
            return Optional.empty();
        }
        return Optional.of(new Contradiction(
                search.explained,
                search.objections.stream()
                        .map(each -> new Refusal(each.operation(), each.demand()))
                        .toList()));
    }

    /**
     * Whether it is Gone for an id of which a release that leaves it so, by a tombstone or a minimum hold, was sent and not answered
     * before. It shows nothing: the instance that was asked knows that the id was given up, whether or not the release has been executed.
     */
    private static boolean isGoneBeforeAReleaseWasAnswered(Operation operation, List<Operation> history) {
        return operation instanceof Operation.Executed acquire
                && acquire.command() instanceof LockCommand.Acquire
                && acquire.reply() instanceof LockReply.Gone
                && history.stream()
                        .anyMatch(other -> other instanceof Operation.Executed sent
                                && sent.command() instanceof LockCommand.Release release
                                && !(release.tombstone().isZero()
                                        && release.minimumHold().isZero())
                                && sent.id().equals(acquire.id())
                                && sent.call().invoked() <= acquire.call().returned()
                                && !(sent.isAnswered()
                                        && sent.call().returned()
                                                < acquire.call().invoked()));
    }

    private boolean explain(BitSet done, LockModel model, List<Operation> order) {
        if (!seen.add(new State((BitSet) done.clone(), model))) {
            return false;
        }
        if (seen.size() > MAX_STATES) {
            throw new Undecided("the history of " + operations.size() + " operations has more than " + MAX_STATES
                    + " possible states");
        }
        BitSet left = (BitSet) answered.clone();
        left.andNot(done);
        if (left.isEmpty()) {
            return true;
        }
        boolean isFurthest = note(done, order);
        long firstReturn = left.stream()
                .mapToLong(at -> operations.get(at).call().returned())
                .min()
                .orElseThrow();
        for (int at = done.nextClearBit(0); at < operations.size(); at = done.nextClearBit(at + 1)) {
            Operation next = operations.get(at);
            if (next.call().invoked() > firstReturn || (before[at] >= 0 && left.get(before[at]))) {
                continue;
            }
            Span now = new Span(
                    next.call().invoked(), next.isAnswered() ? next.call().returned() : firstReturn);
            List<LockModel> states = after(model, next, now, demand -> {
                if (isFurthest && next.isAnswered()) {
                    objections.add(new Objection(next, demand));
                }
            });
            done.set(at);
            order.add(next);
            for (LockModel state : states) {
                // Without a reply it may be left out, and the order with it is as good as the one without.
                boolean isWithoutEffect = !next.isAnswered() && state.equals(model);
                if (!isWithoutEffect && explain(done, state, order)) {
                    return true;
                }
            }
            order.remove(order.size() - 1);
            done.clear(at);
        }
        return false;
    }

    private List<LockModel> after(LockModel model, Operation next, Span now, Consumer<String> why) {
        List<LockModel> before = new PassageOfTime(now).from(model);
        steps += before.size();
        if (steps > maxSteps) {
            throw new Undecided("the history of " + operations.size() + " operations has more than " + maxSteps
                    + " possible steps");
        }
        List<LockModel> states = new ArrayList<>();
        before.forEach(state -> state.execute(next, now, why, states::add));
        return states;
    }

    /** Keeps what is explained if no other order explains more. */
    private boolean note(BitSet done, List<Operation> order) {
        BitSet explainedNow = (BitSet) done.clone();
        explainedNow.and(answered);
        int count = explainedNow.cardinality();
        if (count > mostExplained) {
            mostExplained = count;
            explained = List.copyOf(order);
            objections.clear();
        }
        return count == mostExplained;
    }
}
