package dev.holdfast.lock.simulation;

import dev.holdfast.lock.spi.LockName;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * P7: who came first is served first, strictly within a process, and everywhere without hand-offs; with them nobody waits for
 * more than some turns of other processes.
 */
final class Turns {

    private final Checker checker;
    /** Longer than it takes to the store. */
    private static final long ON_THE_WAY = 5_000_000;

    private final long mostPerTurn;
    private final boolean strict;
    /** Who waits, in the order in which they came, and how often another process was served since. */
    private final Map<Asked, long[]> waiting = new LinkedHashMap<>();

    /**
     * Nobody waits yet.
     *
     * @param handoff how many are served in one turn
     * @param others how many other processes there are
     */
    static Turns ofQueue(Checker checker, int handoff, int others) {
        return new Turns(checker, (long) handoff * others, handoff == 1);
    }

    /** Nobody waits yet, and only those of one process know of each other. */
    static Turns withoutQueue(Checker checker) {
        return new Turns(checker, Integer.MAX_VALUE, false);
    }

    private Turns(Checker checker, long mostPerTurn, boolean strict) {
        this.checker = checker;
        this.mostPerTurn = mostPerTurn;
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
                    !inPeace || strict || counts[0] <= (counts[1] + 2) * mostPerTurn,
                    "P7: '%s' went to other processes %d times while one waited behind %d of its own",
                    asked.name(),
                    counts[0],
                    counts[1]);
            waiting.forEach((other, its) -> {
                if (other.name().equals(asked.name()) && other.process() != asked.process()) {
                    its[0]++;
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
