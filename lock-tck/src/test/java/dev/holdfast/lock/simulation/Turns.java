package dev.holdfast.lock.simulation;

import dev.holdfast.lock.spi.LockName;
import java.util.LinkedHashMap;
import java.util.Map;

/** P7: who came first is served first, strictly within a process; between processes nobody waits for more than some turns. */
final class Turns {

    private final Checker checker;
    private final long mostPerTurn;
    /** Who waits, in the order in which they came, and how often another process was served since. */
    private final Map<Asked, long[]> waiting = new LinkedHashMap<>();

    /** @param mostPerTurn how often others may be served between two turns of a process */
    Turns(Checker checker, long mostPerTurn) {
        this.checker = checker;
        this.mostPerTurn = mostPerTurn;
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
                    !inPeace || counts[0] <= (counts[1] + 2) * mostPerTurn,
                    "P7: '%s' went to other processes %d times while one waited behind %d of its own",
                    asked.name(),
                    counts[0],
                    counts[1]);
            waiting.forEach((other, its) -> {
                if (other.name().equals(asked.name()) && other.process() != asked.process()) {
                    its[0]++;
                }
            });
        }
        waiting.remove(asked);
    }

    void died(SimulatedProcess process) {
        waiting.keySet().removeIf(asked -> asked.process() == process);
    }
}
