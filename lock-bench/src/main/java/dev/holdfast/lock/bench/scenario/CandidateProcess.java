package dev.holdfast.lock.bench.scenario;

import com.google.gson.Gson;
import dev.holdfast.lock.bench.measurement.Overtakes.Visit;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.server.ChildJvm;
import dev.holdfast.lock.bench.server.Endpoints;
import dev.holdfast.lock.spi.Share;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A {@link CandidateMain} in a JVM of its own. */
final class CandidateProcess implements AutoCloseable {

    private static final Gson GSON = new Gson();

    private final ChildJvm jvm;

    /**
     * A task for a {@link CandidateMain}.
     *
     * @param lock the name, or the beginning of the names
     * @param threads the number of threads that do it
     * @param amount the number of pairs of acquire and release, or of milliseconds
     * @param endpoints for OPEN
     * @param mix for SHARE
     */
    record Task(
            Action action,
            String lock,
            int threads,
            long amount,
            @Nullable Endpoints endpoints,
            @Nullable Mix mix) {

        /** The kind of a task. */
        enum Action {
            OPEN,
            /** Each thread acquires and releases a lock of its own, for an amount of pairs. */
            WARM_UP,
            /** One thread acquires and releases one lock, for an amount of pairs. */
            PAIRS,
            /** Each thread acquires and releases a lock of its own, for an amount of milliseconds. */
            LOOPS,
            /** The threads wait for START, and then acquire and release one lock. There is a reply before START and after. */
            CONTEND,
            /**
             * The threads wait for START, and then acquire shares of one lock, hold them for a moment and release them, for an amount
             * of milliseconds. There is a reply before START and after.
             */
            SHARE,
            START,
            /**
             * The threads ask for a lock that is held, one after another at intervals of an amount of milliseconds; then it is
             * released.
             */
            ARRIVE,
            ACQUIRE,
            RELEASE,
            CLOSE
        }

        Task(Action action, String lock, int threads, long amount) {
            this(action, lock, threads, amount, null, null);
        }

        Task(Action action, String lock, int threads, long amount, @Nullable Endpoints endpoints) {
            this(action, lock, threads, amount, endpoints, null);
        }

        Task(Action action) {
            this(action, "", 0, 0);
        }

        /** As one line of text. */
        String toJson() {
            return GSON.toJson(this);
        }

        static Task fromJson(String line) {
            return GSON.fromJson(line, Task.class);
        }
    }

    /**
     * The shares that are asked for.
     *
     * @param large all of the lock
     * @param oneIn of so many requests one is for the large share, by chance; zero for none
     */
    record Mix(Share small, Share large, int oneIn) {

        boolean isNextLarge(Random random) {
            return oneIn > 0 && random.nextInt(oneIn) == 0;
        }
    }

    /**
     * The reply of a {@link CandidateMain} to a task. Instants are of {@link System#nanoTime()}, which all processes of a
     * machine share.
     *
     * @param failure the reason why it could not be done; null if it was done
     * @param start before it was done
     * @param end after it was done
     * @param pairs of acquire and release
     * @param nanos of each pair, in order; for SHARE of each wait for the small share
     * @param visits of each thread; for SHARE those with the large share
     */
    record Reply(@Nullable String failure, long start, long end, long pairs, List<Long> nanos, List<Visit> visits) {

        static Reply done(long start, long end, long pairs) {
            return new Reply(null, start, end, pairs, List.of(), List.of());
        }

        static Reply failed(String failure) {
            return new Reply(failure, 0, 0, 0, List.of(), List.of());
        }

        Reply with(List<Long> newNanos, List<Visit> newVisits) {
            return new Reply(failure, start, end, pairs, newNanos, newVisits);
        }

        /** As one line of text. */
        String toJson() {
            return GSON.toJson(this);
        }

        static Reply fromJson(String line) {
            return GSON.fromJson(line, Reply.class);
        }
    }

    /** @param logs a directory that is removed at the end */
    CandidateProcess(Candidate candidate, Path logs) throws IOException {
        List<String> options = new ArrayList<>(List.of(Comparison.JVM_OPTIONS.split(" ")));
        options.add("-Djava.io.tmpdir=" + logs);
        Redirect log = Redirect.appendTo(logs.resolve(candidate.id() + ".log").toFile());
        jvm = new ChildJvm(CandidateMain.class, options, List.of(candidate.id()), log);
    }

    void send(Task task) throws IOException {
        jvm.send(task.toJson());
    }

    /**
     * Waits for the next reply.
     *
     * @throws TimeoutException if there is none until this instant of {@link System#nanoTime()}
     * @throws IllegalStateException if the task failed
     */
    Reply await(long deadline) throws Exception {
        Reply reply = Reply.fromJson(jvm.line(deadline));
        if (reply.failure() != null) {
            throw new IllegalStateException(reply.failure());
        }
        return reply;
    }

    Reply perform(Task task, long deadline) throws Exception {
        send(task);
        return await(deadline);
    }

    @Override
    public void close() {
        jvm.close();
    }
}
