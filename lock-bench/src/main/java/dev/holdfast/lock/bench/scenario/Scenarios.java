package dev.holdfast.lock.bench.scenario;

import static dev.holdfast.lock.bench.measurement.Metric.LARGEST_OVERTAKE;
import static dev.holdfast.lock.bench.measurement.Metric.LONGEST_WAIT;
import static dev.holdfast.lock.bench.measurement.Metric.LONGEST_WAIT_FOR_ALL;
import static dev.holdfast.lock.bench.measurement.Metric.OVERTAKEN;
import static dev.holdfast.lock.bench.measurement.Metric.OVERTAKEN_WITHIN;
import static dev.holdfast.lock.bench.measurement.Metric.P50;
import static dev.holdfast.lock.bench.measurement.Metric.P99;
import static dev.holdfast.lock.bench.measurement.Metric.P999;
import static dev.holdfast.lock.bench.measurement.Metric.THROUGHPUT;
import static dev.holdfast.lock.bench.measurement.Metric.TOTAL;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.measurement.Overtakes;
import dev.holdfast.lock.bench.measurement.Overtakes.Visit;
import dev.holdfast.lock.bench.measurement.Percentiles;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Mix;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Reply;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task.Action;
import dev.holdfast.lock.bench.scenario.Scenario.Sample;
import dev.holdfast.lock.bench.scenario.Scenario.WarmUp;
import dev.holdfast.lock.bench.server.BenchServers;
import dev.holdfast.lock.spi.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/** All scenarios. */
public final class Scenarios {

    /**
     * The numbers of threads with targets, measured in processes whose code for that number is compiled. The others only make a curve,
     * for which the first rounds are enough.
     */
    public static final List<Integer> THREADS_WITH_TARGETS = List.of(8, 16, 32, 64);

    static final int CURVE_ROUNDS = 3;

    private static final long CROWD_HEAD_START_NANOS = 50_000_000;
    private static final int ARRIVALS = 100;
    private static final long ARRIVAL_GAP_MILLIS = 2;
    private static final long ARRIVAL_HEAD_START_NANOS = 20_000_000;
    /** Before a hand-over the lock is held for a random time, so that a peer that polls is not always met at the same point. */
    private static final long MIN_HOLD_MILLIS = 10;

    private static final long MAX_HOLD_MILLIS = 40;
    private static final int SHARE_PROCESSES = 4;
    private static final int PERMITS = 10;
    /** As many times as long as threads with a lock of their own. */
    private static final int SHARE_LOOPS = 5;

    private static final double MICRO = 1e3;
    private static final double MILLI = 1e6;

    private Scenarios() {}

    /** All scenarios, in the order of the report. */
    public static List<Scenario> all(Workload workload) {
        List<Scenario> all = new ArrayList<>();
        all.add(uncontended(workload.pairs()));
        all.add(distant(workload.pairs()));
        workload.threads()
                .forEach(threads -> all.add(ownLocks(threads, workload.loops().toMillis())));
        all.add(oneLock("crowd", "1,000 threads × 1 on one lock", 1, 1_000));
        all.add(oneLock("processes", "4 processes × 250 threads × 1 on one lock", 4, 250));
        all.add(cold("cold-processes", 4, 250));
        String arrivals = ARRIVALS + " threads that arrive " + ARRIVAL_GAP_MILLIS + " ms apart while the lock is held";
        List<Metric> order = List.of(OVERTAKEN, LARGEST_OVERTAKE);
        all.add(new Scenario("order", arrivals, order, true, 1, ARRIVALS + 1, WarmUp.PAIRS, Scenarios::arrive));
        String handover = "hand-over from one process to another";
        all.add(new Scenario(
                "handover",
                handover,
                List.of(P50, P99),
                true,
                2,
                1,
                WarmUp.REHEARSAL,
                (processes, lock, deadline) -> handOver(processes, lock, workload.handovers(), deadline)));
        long millis = workload.loops().multipliedBy(SHARE_LOOPS).toMillis();
        Share one = new Share(1, PERMITS);
        Share ten = new Share(PERMITS, PERMITS);
        all.add(shares(
                "readers",
                "50 readers, of whose calls 5 % write",
                50,
                millis,
                new Mix(Share.shared(), Share.EXCLUSIVE, 20)));
        all.add(shares("permits", "10 permits for 100 threads", 100, millis, new Mix(one, ten, 0)));
        all.add(shares(
                "all-permits",
                "10 permits for 50 threads, of whose calls 2 % take all",
                50,
                millis,
                new Mix(one, ten, 50)));
        return List.copyOf(all);
    }

    /** One thread and one lock. */
    static Scenario uncontended(int pairs) {
        return pairs("pair", "acquire + release, uncontended", false, pairs);
    }

    /** The same over a network. */
    private static Scenario distant(int pairs) {
        String title = "acquire + release, uncontended, with Redis " + BenchServers.ROUND_TRIP_TEXT + " away";
        return pairs("distant-pair", title, true, pairs);
    }

    private static Scenario pairs(String id, String title, boolean isDistant, int pairs) {
        List<Metric> metrics = List.of(P50, P99, P999, THROUGHPUT);
        int rounds = Integer.MAX_VALUE;
        return new Scenario(
                id,
                title,
                metrics,
                false,
                false,
                1,
                1,
                isDistant,
                WarmUp.PAIRS,
                rounds,
                (processes, lock, deadline) -> {
                    Reply reply = processes.get(0).perform(new Task(Action.PAIRS, lock, 1, pairs), deadline);
                    Percentiles latencies = new Percentiles(reply.nanos());
                    return new Sample(
                            Map.of(
                                    P50, latencies.at(0.5) / MICRO,
                                    P99, latencies.at(0.99) / MICRO,
                                    P999, latencies.at(0.999) / MICRO,
                                    THROUGHPUT, perSecond(reply.pairs(), reply)),
                            reply.nanos());
                });
    }

    private static Scenario ownLocks(int threads, long millis) {
        boolean hasTarget = THREADS_WITH_TARGETS.contains(threads);
        String title = threads + (threads == 1 ? " thread on 1 lock" : " threads on " + threads + " locks");
        List<Metric> metrics = List.of(THROUGHPUT);
        return new Scenario(
                "threads-" + threads,
                title,
                metrics,
                false,
                false,
                1,
                threads,
                false,
                hasTarget ? WarmUp.REHEARSAL : WarmUp.PAIRS,
                hasTarget ? Integer.MAX_VALUE : CURVE_ROUNDS,
                (processes, lock, deadline) -> {
                    Reply reply = processes.get(0).perform(new Task(Action.LOOPS, lock, threads, millis), deadline);
                    return new Sample(Map.of(THROUGHPUT, perSecond(reply.pairs(), reply)), List.of());
                });
    }

    /** Threads that start at once and acquire one lock once each. */
    static Scenario oneLock(String id, String title, int processes, int threads) {
        return oneLock(id, title, processes, threads, WarmUp.REHEARSAL);
    }

    /** The same in processes that have hardly done anything yet. */
    private static Scenario cold(String id, int processes, int threads) {
        String title = processes + " processes × " + threads + " threads × 1 on one lock, after "
                + String.format(Locale.ROOT, "%,d", Workload.COLD_PAIRS) + " pairs in each process";
        return oneLock(id, title, processes, threads, WarmUp.COLD);
    }

    private static Scenario oneLock(String id, String title, int processes, int threads, WarmUp warmUp) {
        List<Metric> metrics = new ArrayList<>(List.of(TOTAL, LONGEST_WAIT, OVERTAKEN, LARGEST_OVERTAKE));
        if (processes > 1) {
            metrics.add(3, OVERTAKEN_WITHIN);
        }
        return new Scenario(
                id,
                title,
                metrics,
                true,
                processes,
                threads,
                warmUp,
                (all, lock, deadline) -> contend(all, new Task(Action.CONTEND, lock, threads, 1), deadline));
    }

    /** Threads of four processes that acquire shares of one lock again and again. */
    private static Scenario shares(String id, String title, int threads, long millis, Mix mix) {
        List<Metric> metrics = new ArrayList<>(List.of(THROUGHPUT, P50, P99, LONGEST_WAIT));
        if (mix.oneIn() > 0) {
            metrics.add(LONGEST_WAIT_FOR_ALL);
        }
        int inProcess = (threads + SHARE_PROCESSES - 1) / SHARE_PROCESSES;
        return new Scenario(
                id,
                title + ", in " + SHARE_PROCESSES + " processes",
                metrics,
                true,
                true,
                SHARE_PROCESSES,
                inProcess,
                false,
                WarmUp.REHEARSAL,
                Integer.MAX_VALUE,
                (processes, lock, deadline) -> share(processes, lock, threads, millis, mix, deadline));
    }

    private static Sample share(
            List<CandidateProcess> processes, String lock, int threads, long millis, Mix mix, long deadline)
            throws Exception {
        int count = processes.size();
        List<Reply> replies = together(
                processes,
                at -> new Task(Action.SHARE, lock, (threads + at) / count, millis, null, mix), // all threads in sum
                deadline);
        List<Long> nanos = new ArrayList<>();
        double perSecond = 0;
        long wait = 0;
        for (Reply reply : replies) {
            nanos.addAll(reply.nanos());
            perSecond += perSecond(reply.pairs(), reply);
            for (Visit visit : reply.visits()) {
                wait = Math.max(wait, visit.granted() - visit.asked());
            }
        }
        Percentiles waits = new Percentiles(nanos);
        return new Sample(
                Map.of(
                        THROUGHPUT, perSecond,
                        P50, waits.at(0.5) / MICRO,
                        P99, waits.at(0.99) / MICRO,
                        LONGEST_WAIT, waits.at(1) / MILLI,
                        LONGEST_WAIT_FOR_ALL, wait / MILLI),
                nanos);
    }

    /** Has the threads of all processes begin together, and returns the replies. */
    private static List<Reply> together(List<CandidateProcess> processes, IntFunction<Task> tasks, long deadline)
            throws Exception {
        for (int at = 0; at < processes.size(); at++) {
            processes.get(at).send(tasks.apply(at));
        }
        for (CandidateProcess process : processes) {
            process.await(deadline); // its threads are ready
        }
        for (CandidateProcess process : processes) {
            process.send(new Task(Action.START));
        }
        List<Reply> replies = new ArrayList<>();
        for (CandidateProcess process : processes) {
            replies.add(process.await(deadline));
        }
        return replies;
    }

    private static Sample contend(List<CandidateProcess> processes, Task contend, long deadline) throws Exception {
        long start = Long.MAX_VALUE;
        long end = 0;
        long wait = 0;
        long within = 0;
        List<Visit> visits = new ArrayList<>();
        for (Reply reply : together(processes, any -> contend, deadline)) {
            start = Math.min(start, reply.start());
            within += Overtakes.of(reply.visits(), CROWD_HEAD_START_NANOS).count();
            visits.addAll(reply.visits());
        }
        for (Visit visit : visits) {
            end = Math.max(end, visit.released());
            wait = Math.max(wait, visit.granted() - visit.asked());
        }
        Overtakes overtakes = Overtakes.of(visits, CROWD_HEAD_START_NANOS);
        return new Sample(
                Map.of(
                        TOTAL, (end - start) / MILLI,
                        LONGEST_WAIT, wait / MILLI,
                        OVERTAKEN, (double) overtakes.count(),
                        OVERTAKEN_WITHIN, (double) within,
                        LARGEST_OVERTAKE, overtakes.largestNanos() / MILLI),
                List.of());
    }

    /** Threads that arrive one after another while the lock is held: in a crowd that starts at once, no thread is first. */
    private static Sample arrive(List<CandidateProcess> processes, String lock, long deadline) throws Exception {
        Reply reply = processes.get(0).perform(new Task(Action.ARRIVE, lock, ARRIVALS, ARRIVAL_GAP_MILLIS), deadline);
        Overtakes overtakes = Overtakes.of(reply.visits(), ARRIVAL_HEAD_START_NANOS);
        double largest = overtakes.largestNanos() / MILLI;
        return new Sample(Map.of(OVERTAKEN, (double) overtakes.count(), LARGEST_OVERTAKE, largest), List.of());
    }

    /** Measures from the call that releases in one process to the return of the call that waits in the other. */
    private static Sample handOver(List<CandidateProcess> processes, String lock, int times, long deadline)
            throws Exception {
        Task acquire = new Task(Action.ACQUIRE, lock, 1, 1);
        Task release = new Task(Action.RELEASE);
        List<Long> nanos = new ArrayList<>();
        processes.get(0).perform(acquire, deadline);
        for (int i = 0; i < times; i++) {
            CandidateProcess waiter = processes.get((i + 1) % 2);
            waiter.send(acquire);
            long hold = ThreadLocalRandom.current().nextLong(MIN_HOLD_MILLIS, MAX_HOLD_MILLIS);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(hold));
            long released = processes.get(i % 2).perform(release, deadline).start();
            Reply acquired = waiter.await(deadline);
            if (acquired.start() < released) { // else the machine stalled and the waiter did not wait
                nanos.add(acquired.end() - released);
            }
        }
        processes.get(times % 2).perform(release, deadline);
        Percentiles latencies = new Percentiles(nanos);
        return new Sample(Map.of(P50, latencies.at(0.5) / MICRO, P99, latencies.at(0.99) / MICRO), nanos);
    }

    private static double perSecond(long pairs, Reply reply) {
        return pairs * 1e9 / (reply.end() - reply.start());
    }
}
