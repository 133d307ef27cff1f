package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.model.Explanation;
import dev.holdfast.lock.tck.model.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Random histories of a store, each of them explained by the model: as many as a fast store carries out within seconds, and
 * few on a slow one. A failure is shortened first: parts of its plan are rerun on other locks, for as long as a smaller part
 * still fails.
 */
final class HistoryCheck {

    /** The numbers of histories on a slow store and on a fast one. */
    private static final int FEW = 6;

    private static final int MANY = 24;

    /** How long the calls of all histories of a rule may take, without their pauses. */
    private static final Duration BUDGET = Duration.ofSeconds(3);

    /** The number of histories without pauses that show the speed of a store. */
    private static final int HASTY = 4;

    /** The number of attempts at a part of a failed plan, as a failure may need luck. */
    private static final int TRIES = 3;

    private static final int SHORTENING_PART = 6;

    /** The smallest part of a plan that is carried out where none could be judged. */
    private static final int MAX_PARTS = 64;

    private final Kit kit;
    private final List<StoreClient> clients;
    private final int reliable;
    private final Lock calm;
    private final boolean queues;
    private final boolean lists;
    private final boolean shares;
    private final long seed;
    private final Random random;
    private final AtomicInteger runs = new AtomicInteger();

    /** The histories of single locks that were explained or not. */
    private int judged;

    /** How many of them had been judged before those that the rule asks for. */
    private int explained;

    private int undecided;

    /** How long orders have been looked for, in nanoseconds. */
    private long searched;

    /** When the latest history was recorded, but not yet explained. */
    private final LongAccumulator recorded = new LongAccumulator(Math::max, Long.MIN_VALUE);

    /** @param reliable the number of clients, the first ones, that must always reply */
    HistoryCheck(Kit kit, List<StoreClient> clients, int reliable) {
        this(kit, clients, reliable, new ReentrantReadWriteLock().readLock());
    }

    /**
     * @param reliable the number of clients, the first ones, that must always reply
     * @param calm while it is held, no connection is broken
     */
    HistoryCheck(Kit kit, List<StoreClient> clients, int reliable, Lock calm) {
        this.kit = kit;
        this.clients = clients;
        this.reliable = reliable;
        this.calm = calm;
        LockStore store = clients.get(0).store();
        queues = store.capabilities().contains(Capability.QUEUE);
        lists = store.capabilities().contains(Capability.LIST);
        shares = store.capabilities().contains(Capability.SHARES);
        seed = kit.contract.seed();
        random = new Random(seed);
    }

    private record Failure(HistoryPlan plan, List<Operation> history, Explanation.Contradiction contradiction) {}

    /** Runs histories of some of these tempos. Returns their number, for the report. */
    String explain(HistoryPlan.Tempo... tempos) {
        return explain(null, tempos);
    }

    /** @param restart restarts the store when all callers have made half of their calls, and none is under way; null for no restart */
    String explain(@Nullable Runnable restart, HistoryPlan.Tempo... tempos) {
        clients.forEach(HistoryCheck::warmUp);
        int number = kit.histories().orElseGet(() -> numberInTime(tempos[0]));
        long start = System.nanoTime();
        explained = judged;
        int parts = 1;
        for (int done = 0; done < number || judged - explained < number; ) {
            if (done >= number && System.nanoTime() - start > Kit.REPEAT_LIMIT.toNanos()) {
                if (judged > explained) {
                    break; // fewer than they should be, which the report says
                }
                throw new RuleBroken.TooSlow("the calls of " + number
                        + " histories took so long that too many orders of them are possible; seed " + seed);
            }
            int next = Math.min(MANY, Math.max(FEW, number - done));
            HistoryPlan.Tempo tempo = tempos[done / MANY % tempos.length];
            int before = judged;
            explain(firstOf(parts, plans(next, clients.size(), tempo)), restart);
            if (judged == before && parts < MAX_PARTS) {
                parts *= 2; // fewer callers, as the machine is too slow for so many
            }
            done += next;
        }
        return runs.get() + " histories of up to three locks"
                + (undecided == 0
                        ? ""
                        : ", " + undecided + " of which were not judged: too entangled, or the search took too long");
    }

    /** The first call of a client may take longer than others, as it connects. */
    private static void warmUp(StoreClient client) {
        client.tryExecute(StoreClient.acquiring(new LockName("first"), Kit.id(), Kit.SHORT), StoreClient.TIMEOUT);
    }

    /** As many as the speed of the calls without pauses allows, which many callers make at the same time. */
    private int numberInTime(HistoryPlan.Tempo tempo) {
        List<HistoryPlan> hasty = plans(HASTY, reliable == 0 ? clients.size() : reliable, HistoryPlan.Tempo.HASTY);
        long start = System.nanoTime();
        explain(hasty, null);
        long took = recorded.get() - start;
        int calls = hasty.stream().mapToInt(HistoryPlan::size).sum();
        double callsInTime = (double) calls * BUDGET.toNanos() / took;
        double callsOfOne = (double) calls / HASTY * tempo.steps() / HistoryPlan.Tempo.HASTY.steps();
        return (int) Math.max(FEW, Math.min(MANY, callsInTime / callsOfOne));
    }

    private List<HistoryPlan> plans(int number, int ofClients, HistoryPlan.Tempo tempo) {
        return IntStream.range(0, number)
                .mapToObj(any -> HistoryPlan.random(random, ofClients, lists, shares, tempo))
                .toList();
    }

    /** The first of so many equal parts of each plan. */
    private static List<HistoryPlan> firstOf(int parts, List<HistoryPlan> plans) {
        return plans.stream()
                .map(plan -> without(plan, Math.max(1, plan.size() / parts), plan.size()))
                .toList();
    }

    private void explain(List<HistoryPlan> plans, @Nullable Runnable restart) {
        Failure failure = firstFailure(plans, restart);
        if (failure != null) {
            Failure shortest = shorten(failure, restart);
            throw new RuleBroken.OfHistory(
                    HistoryStory.of(shortest.history(), shortest.contradiction()) + "\n  seed " + seed
                            + "; the history has " + shortest.plan().size() + " calls, and had "
                            + failure.plan().size() + " before it was shortened");
        }
    }

    private @Nullable Failure firstFailure(List<HistoryPlan> plans, @Nullable Runnable restart) {
        int lanes = plans.stream().mapToInt(plan -> plan.lanes().size()).sum();
        HalfTime halfTime = new HalfTime(lanes, restart);
        List<List<List<Operation>>> histories =
                ConcurrentCalls.run(plans.size(), each -> record(plans.get(each), halfTime));
        halfTime.rethrow();
        for (int each = 0; each < plans.size(); each++) { // here, as the search for an order may take long
            Failure failure = failureOf(plans.get(each), histories.get(each));
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    private List<List<Operation>> record(HistoryPlan plan, HalfTime halfTime) {
        HistoryRun run =
                new HistoryRun(plan, clients, reliable, calm, "history " + runs.incrementAndGet() + " ", halfTime);
        List<List<Operation>> histories = run.record();
        recorded.accumulate(System.nanoTime());
        return histories;
    }

    private @Nullable Failure failureOf(HistoryPlan plan, List<List<Operation>> histories) {
        for (List<Operation> history : histories) {
            if (judged > explained && searched > Kit.REPEAT_LIMIT.toNanos()) {
                undecided++; // a search has many steps, and a busy machine takes minutes for those of all histories
                continue;
            }
            long start = System.nanoTime();
            try {
                Optional<Explanation.Contradiction> contradiction = Explanation.missing(history, queues);
                judged++;
                if (contradiction.isPresent()) {
                    return new Failure(plan, history, contradiction.get());
                }
            } catch (Explanation.Undecided e) {
                undecided++; // its calls overlapped too much, as on a machine that stood still
            } finally {
                searched += System.nanoTime() - start;
            }
        }
        return null;
    }

    /** Leaves out ever smaller parts of the plan that the failure does not need. */
    private Failure shorten(Failure failure, @Nullable Runnable restart) {
        long start = System.nanoTime();
        Failure shortest = failure;
        for (int part = Math.max(1, failure.plan().size() / 2); part >= 1; ) {
            if (System.nanoTime() - start
                    > kit.contract.patience().dividedBy(SHORTENING_PART).toNanos()) {
                return shortest;
            }
            List<HistoryPlan> candidates = without(shortest.plan(), part);
            Failure shorter = candidates.isEmpty() ? null : firstFailure(candidates, restart);
            if (shorter != null) {
                shortest = shorter;
                part = Math.min(part, Math.max(1, shortest.plan().size() / 2));
            } else if (part == 1) {
                return shortest;
            } else {
                part = part / 2;
            }
        }
        return shortest;
    }

    /** The plan without each part of this number of calls. */
    private static List<HistoryPlan> without(HistoryPlan plan, int part) {
        List<HistoryPlan> shorter = new ArrayList<>();
        for (int from = 0; from < plan.size(); from += part) {
            HistoryPlan candidate = without(plan, from, from + part);
            if (candidate.size() > 0) {
                for (int i = 0; i < TRIES; i++) {
                    shorter.add(candidate);
                }
            }
        }
        return shorter;
    }

    private static HistoryPlan without(HistoryPlan plan, int from, int to) {
        List<List<HistoryPlan.Step>> lanes = new ArrayList<>();
        int number = 0;
        for (List<HistoryPlan.Step> lane : plan.lanes()) {
            List<HistoryPlan.Step> kept = new ArrayList<>();
            for (HistoryPlan.Step step : lane) {
                if (number < from || number >= to) {
                    kept.add(step);
                }
                number++;
            }
            if (!kept.isEmpty()) {
                lanes.add(List.copyOf(kept));
            }
        }
        return new HistoryPlan(plan.names(), plan.shares(), List.copyOf(lanes), plan.tempo());
    }
}
