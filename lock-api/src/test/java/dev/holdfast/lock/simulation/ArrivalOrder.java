package dev.holdfast.lock.simulation;

import dev.holdfast.lock.spi.LockName;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * P7: callers are served in the order of their arrival: strictly within a process, and between processes without hand-offs. With
 * hand-offs, a bounded number of callers of other processes is served before a waiter.
 */
class ArrivalOrder {

    private final Checker checker;
    /** Longer than a message takes to the store. */
    private static final long ON_THE_WAY = 5_000_000;

    private final long maxPerTurn;
    private final boolean strict;
    /** Waiting calls in the order of arrival; for each, grants to other processes since then, and local calls ahead of it. */
    private final Map<AcquireCall, long[]> waiting = new LinkedHashMap<>();

    /**
     * Starts without waiters on a store with a queue.
     *
     * @param handoff how many callers of one process the engine serves in a row
     * @param others the number of other processes
     */
    static ArrivalOrder ofQueue(Checker checker, int handoff, int others) {
        return new ArrivalOrder(checker, (long) handoff * others, handoff == 1);
    }

    /** Starts without waiters on a store without a queue: order holds within a process only. */
    static ArrivalOrder withoutQueue(Checker checker) {
        return new ArrivalOrder(checker, Integer.MAX_VALUE, false);
    }

    /** Starts without waiters for shares, several of which become due at once and are claimed in any order. */
    static ArrivalOrder ofShares(Checker checker) {
        return new ArrivalOrder(checker, Integer.MAX_VALUE, false) {
            @Override
            void ended(AcquireCall call, boolean held, boolean inPeace) {
                forget(call);
            }
        };
    }

    private ArrivalOrder(Checker checker, long maxPerTurn, boolean strict) {
        this.checker = checker;
        this.maxPerTurn = maxPerTurn;
        this.strict = strict;
    }

    void forget(AcquireCall call) {
        waiting.remove(call);
    }

    boolean anyWaits(SimulatedProcess process, LockName name) {
        return waiting.keySet().stream().anyMatch(other -> isBeside(other, process, name));
    }

    private static boolean isBeside(AcquireCall other, SimulatedProcess process, LockName name) {
        return other.process() == process && other.name().equals(name);
    }

    void began(AcquireCall call) {
        long before = waiting.keySet().stream()
                .filter(other -> isBeside(other, call.process(), call.name()))
                .count();
        waiting.put(call, new long[] {0, before});
    }

    /** @param inPeace whether nothing has failed yet */
    void ended(AcquireCall call, boolean held, boolean inPeace) {
        long[] counts = waiting.get(call);
        if (held) {
            for (AcquireCall other : waiting.keySet()) {
                if (other == call) {
                    break;
                }
                checker.that(
                        !isBeside(other, call.process(), call.name()),
                        "P7: '%s' was granted to a later caller of the same process",
                        call.name());
            }
            checker.that(
                    !inPeace || strict || counts[0] <= (counts[1] + 2) * maxPerTurn,
                    "P7: '%s' was granted to other processes %d times while a caller waited behind %d of its own process",
                    call.name(),
                    counts[0],
                    counts[1]);
            waiting.forEach((other, counters) -> {
                if (other.name().equals(call.name()) && other.process() != call.process()) {
                    counters[0]++;
                    checker.that(
                            !inPeace || !strict || !other.queues() || other.since() + ON_THE_WAY >= call.since(),
                            "P7: '%s' was granted to another process's caller that came %d ns later",
                            call.name(),
                            call.since() - other.since());
                }
            });
        }
        forget(call);
    }

    void died(SimulatedProcess process) {
        waiting.keySet().removeIf(call -> call.process() == process);
    }
}
