package dev.holdfast.lock.simulation;

import dev.holdfast.lock.spi.LockName;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * P7: callers are served in the order of their arrival: strictly within a process, and between processes without hand-offs. With
 * hand-offs, a bounded number of callers of other processes is served before a waiter.
 */
final class Turns {

    private final Checker checker;
    /** Longer than a message takes to the store. */
    private static final long ON_THE_WAY = 5_000_000;

    private final long maxPerTurn;
    private final boolean strict;
    /** Waiting calls in the order of arrival; for each, grants to other processes since then, and local calls ahead of it. */
    private final Map<Asked, long[]> waiting = new LinkedHashMap<>();

    /**
     * Starts without waiters on a store with a queue.
     *
     * @param handoff how many callers of one process the engine serves in a row
     * @param others the number of other processes
     */
    static Turns ofQueue(Checker checker, int handoff, int others) {
        return new Turns(checker, (long) handoff * others, handoff == 1);
    }

    /** Starts without waiters on a store without a queue: order holds within a process only. */
    static Turns withoutQueue(Checker checker) {
        return new Turns(checker, Integer.MAX_VALUE, false);
    }

    private Turns(Checker checker, long maxPerTurn, boolean strict) {
        this.checker = checker;
        this.maxPerTurn = maxPerTurn;
        this.strict = strict;
    }

    boolean anyWaits(SimulatedProcess process, LockName name) {
        return waiting.keySet().stream().anyMatch(other -> isBeside(other, process, name));
    }

    private static boolean isBeside(Asked other, SimulatedProcess process, LockName name) {
        return other.process() == process && other.name().equals(name);
    }

    void asked(Asked asked) {
        long before = waiting.keySet().stream()
                .filter(other -> isBeside(other, asked.process(), asked.name()))
                .count();
        waiting.put(asked, new long[] {0, before});
    }

    /** @param inPeace whether nothing has failed yet */
    void ended(Asked asked, boolean held, boolean inPeace) {
        long[] counts = waiting.get(asked);
        if (held) {
            for (Asked other : waiting.keySet()) {
                if (other == asked) {
                    break;
                }
                checker.that(
                        !isBeside(other, asked.process(), asked.name()),
                        "P7: '%s' went to who came later, in one process",
                        asked.name());
            }
            checker.that(
                    !inPeace || strict || counts[0] <= (counts[1] + 2) * maxPerTurn,
                    "P7: '%s' went to other processes %d times while one waited behind %d of its own",
                    asked.name(),
                    counts[0],
                    counts[1]);
            waiting.forEach((other, counters) -> {
                if (other.name().equals(asked.name()) && other.process() != asked.process()) {
                    counters[0]++;
                    checker.that(
                            !inPeace || !strict || !other.queues() || other.since() + ON_THE_WAY >= asked.since(),
                            "P7: '%s' went to who came %d ns later, in another process",
                            asked.name(),
                            asked.since() - other.since());
                }
            });
        }
        waiting.remove(asked);
    }

    void died(SimulatedProcess process) {
        waiting.keySet().removeIf(asked -> asked.process() == process);
    }
}
