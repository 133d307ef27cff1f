package dev.holdfast.lock.bench.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.holdfast.lock.bench.measurement.Overtakes.Visit;
import dev.holdfast.lock.bench.measurement.StartingLine;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidates;
import dev.holdfast.lock.bench.peer.Peer;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Mix;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Reply;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task;
import dev.holdfast.lock.spi.Share;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A process in which one candidate is measured. It performs the tasks that it reads from its standard input, line by line and on
 * one thread, prints a reply to each, and ends with its input.
 */
final class CandidateMain {

    /** The time limit for the pairs of a slow candidate, of which fewer are measured. */
    private static final long LONGEST_PAIRS_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** Long enough for holders beside each other. */
    private static final long SHARE_HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final BlockingQueue<String> input = new LinkedBlockingQueue<>();
    private final PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
    private final Candidate candidate;
    private @Nullable Peer opened;
    private @Nullable AutoCloseable held;

    CandidateMain(Candidate candidate) {
        this.candidate = candidate;
    }

    /** @param arguments the id of the candidate */
    @SuppressWarnings("SystemOut") // the output of a library is not a reply
    public static void main(String[] arguments) throws IOException {
        System.setOut(System.err);
        CandidateMain main = new CandidateMain(Candidates.all().stream()
                .filter(candidate -> candidate.id().equals(arguments[0]))
                .findFirst()
                .orElseThrow());
        Thread worker = new Thread(main::work, "candidate");
        worker.setDaemon(true);
        worker.start();
        new BufferedReader(new InputStreamReader(System.in, UTF_8)).lines().forEach(main.input::add);
        Runtime.getRuntime().halt(0);
    }

    private void work() {
        while (true) {
            try {
                Task task = Task.fromJson(input.take());
                output.println(perform(task).toJson());
            } catch (Throwable e) {
                e.printStackTrace();
                output.println(Reply.failed(e.toString()).toJson());
            }
        }
    }

    Reply perform(Task task) throws Exception {
        long start = System.nanoTime();
        String lock = task.lock();
        switch (task.action()) {
            case OPEN -> opened = candidate.open(requireNonNull(task.endpoints()));
            case CLOSE -> {
                peer().close();
                opened = null;
            }
            case ACQUIRE -> held = peer().acquire(lock);
            case RELEASE -> requireNonNull(held).close();
            case WARM_UP -> {
                return concurrently(task, peer(), (pairs, nanos) -> pairs < task.amount());
            }
            case LOOPS -> {
                long limit = TimeUnit.MILLISECONDS.toNanos(task.amount());
                return concurrently(task, peer(), (pairs, nanos) -> nanos < limit);
            }
            case PAIRS -> {
                return pairs(peer(), lock, task.amount());
            }
            case CONTEND -> {
                return contend(peer(), lock, task.threads());
            }
            case SHARE -> {
                return share(peer(), task, requireNonNull(task.mix()));
            }
            case ARRIVE -> {
                return arrive(peer(), lock, task.threads(), TimeUnit.MILLISECONDS.toNanos(task.amount()));
            }
            case START -> throw new IllegalStateException("no threads wait for START");
        }
        return Reply.done(start, System.nanoTime(), 0);
    }

    private Peer peer() {
        return requireNonNull(opened, "the candidate is not open");
    }

    private static Reply pairs(Peer peer, String lock, long count) throws Exception {
        List<Long> nanos = new ArrayList<>();
        long start = System.nanoTime();
        long last = start;
        while (nanos.size() < count && last - start < LONGEST_PAIRS_NANOS) {
            peer.acquire(lock).close();
            long now = System.nanoTime();
            nanos.add(now - last);
            last = now;
        }
        return Reply.done(start, last, nanos.size()).with(nanos, List.of());
    }

    private interface Continuation {
        boolean goesOn(long pairs, long nanos);
    }

    private static Reply concurrently(Task task, Peer peer, Continuation continuation) throws Exception {
        LongAdder pairs = new LongAdder();
        StartingLine threads = new StartingLine(task.threads(), thread -> {
            String own = task.lock() + "-" + thread;
            long done = 0;
            long start = System.nanoTime();
            while (continuation.goesOn(done, System.nanoTime() - start)) {
                peer.acquire(own).close();
                done++;
            }
            pairs.add(done);
        });
        long start = threads.start();
        threads.join();
        return Reply.done(start, System.nanoTime(), pairs.sum());
    }

    private Reply contend(Peer peer, String lock, int count) throws Exception {
        Visit[] visits = new Visit[count];
        long start = runAtStart(count, thread -> visits[thread] = visit(peer, lock));
        return Reply.done(start, System.nanoTime(), count).with(List.of(), List.of(visits));
    }

    private Reply share(Peer peer, Task task, Mix mix) throws Exception {
        long limit = TimeUnit.MILLISECONDS.toNanos(task.amount());
        Queue<Long> waits = new ConcurrentLinkedQueue<>();
        Queue<Visit> large = new ConcurrentLinkedQueue<>();
        long start = runAtStart(task.threads(), thread -> {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < limit) {
                boolean isLarge = mix.isNextLarge(ThreadLocalRandom.current());
                Visit visit = visit(peer, task.lock(), isLarge ? mix.large() : mix.small(), SHARE_HOLD_NANOS);
                if (isLarge) {
                    large.add(visit);
                } else {
                    waits.add(visit.granted() - visit.asked());
                }
            }
        });
        return Reply.done(start, System.nanoTime(), waits.size() + large.size())
                .with(List.copyOf(waits), List.copyOf(large));
    }

    /** Runs the task in threads that begin at START, together with those of other processes. Returns the instant of their start. */
    private long runAtStart(int count, StartingLine.Task task) throws Exception {
        StartingLine threads = new StartingLine(count, task);
        output.println(Reply.done(0, 0, 0).toJson());
        Task next = Task.fromJson(input.take());
        if (next.action() != Task.Action.START) {
            throw new IllegalStateException("START is expected, not " + next);
        }
        long start = threads.start();
        threads.join();
        return start;
    }

    private static Reply arrive(Peer peer, String lock, int count, long gap) throws Exception {
        AutoCloseable first = peer.acquire(lock);
        Visit[] visits = new Visit[count];
        long[] start = new long[1];
        StartingLine threads = new StartingLine(count, thread -> {
            parkUntil(start[0] + (thread + 1) * gap);
            visits[thread] = visit(peer, lock);
        });
        start[0] = System.nanoTime();
        threads.start();
        parkUntil(start[0] + (count + 2) * gap);
        first.close();
        threads.join();
        return Reply.done(start[0], System.nanoTime(), count).with(List.of(), List.of(visits));
    }

    private static Visit visit(Peer peer, String lock) throws Exception {
        return visit(peer, lock, Share.EXCLUSIVE, 0);
    }

    private static Visit visit(Peer peer, String lock, Share share, long holdNanos) throws Exception {
        long asked = System.nanoTime();
        AutoCloseable release = peer.acquire(lock, share);
        long granted = System.nanoTime();
        LockSupport.parkNanos(holdNanos);
        release.close();
        return new Visit(asked, granted, System.nanoTime());
    }

    private static void parkUntil(long instant) {
        for (long left = instant - System.nanoTime(); left > 0; left = instant - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
