package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a blocking store: on the caller's thread if few enough do so already, else in batches. */
public final class BatchExecutor implements StoreExecutor {

    private static final Logger log = LoggerFactory.getLogger(BatchExecutor.class);

    private final LockStore store;
    private final Clock clock;
    private final BiFunction<String, Integer, Executor> threads;
    /** The number of parallel calls of callers that the store wants. */
    private volatile int calls;
    /** For calls of callers beside the first of each lane, whatever the timeout: connections have other uses, too. */
    private final Permits callerPermits = new Permits(() -> calls - 1);

    /** Whether this thread delivers replies: a callback that waited for another call would block its own call from finishing. */
    private final ThreadLocal<Boolean> delivers = ThreadLocal.withInitial(() -> false);

    private final Map<Kind, BatchLane> lanes = new ConcurrentHashMap<>();

    /**
     * Commands that may take a second do not share a lane with commands that may take ten: a store that does not answer would
     * hold up the renewal of a short lease for as long as that of a long one may take. Grouped by powers of two, so that there are
     * few lanes.
     */
    private record Kind(Lane lane, int magnitude) {
        static Kind of(Lane lane, StoreRequest request) {
            return new Kind(
                    lane,
                    Long.SIZE - Long.numberOfLeadingZeros(request.timeout().toMillis()));
        }
    }

    /** @param threads gives a lane of this name as many threads */
    public BatchExecutor(LockStore store, Clock clock, BiFunction<String, Integer, Executor> threads) {
        this.store = store;
        this.clock = clock;
        this.threads = threads;
        readCalls();
    }

    private void readCalls() {
        calls = Math.max(1, Math.min(LockStore.MAX_PARALLEL_CALLS, store.parallelCalls()));
    }

    @Override
    public void execute(Lane lane, List<StoreRequest> requests) {
        if (lane == Lane.CALLER) {
            readCalls();
        }
        Kind kind = Kind.of(lane, requests.get(0));
        if (requests.size() > 1
                && !requests.stream().allMatch(each -> Kind.of(lane, each).equals(kind))) {
            Map<Kind, List<StoreRequest>> byKind = new LinkedHashMap<>();
            requests.forEach(each -> byKind.computeIfAbsent(Kind.of(lane, each), any -> new ArrayList<>())
                    .add(each));
            byKind.values().forEach(group -> execute(lane, group));
            return;
        }
        BatchLane batches = lanes.computeIfAbsent(kind, this::newLane);
        if (lane == Lane.CALLER && !delivers.get()) {
            batches.call(requests);
        } else {
            batches.submit(requests);
        }
    }

    private BatchLane newLane(Kind kind) {
        boolean isCallers = kind.lane() == Lane.CALLER;
        String name = kind.lane().name().toLowerCase(Locale.ROOT) + "-" + kind.magnitude();
        IntSupplier number = isCallers ? () -> calls : () -> 1;
        IntSupplier batches = () -> (1 + number.getAsInt()) / 2;
        Permits shared = isCallers ? callerPermits : new Permits(() -> 0);
        return new BatchLane(
                clock, this::send, this::refuse, threads.apply(name, batches.getAsInt()), shared, batches, number);
    }

    /** Sends one batch in one call, and delivers the replies. */
    private void send(List<StoreRequest> requests) {
        List<StoreRequest> batch = take(requests);
        if (batch.isEmpty()) {
            return;
        }
        List<LockCommand> commands = commands(batch);
        Duration timeout = batch.get(0).timeout();
        for (int at = 1; at < batch.size(); at++) {
            timeout = Durations.min(timeout, batch.get(at).timeout());
        }
        DualClockInstant sent = clock.now();
        List<LockReply> replies;
        Throwable error = null;
        try {
            replies = store.execute(commands, timeout);
            requireFitting(commands, replies);
        } catch (RuntimeException e) {
            replies = unavailable(batch, e);
        } catch (Throwable e) {
            error = e;
            replies = unavailable(batch, e);
        }
        try {
            logError(commands, error);
            CommandLog.answered(commands, replies, sent, clock);
        } finally { // the log may fail, too
            deliver(batch, sent, replies);
        }
    }

    private static void logError(List<LockCommand> commands, @Nullable Throwable error) {
        if (error != null) {
            log.error(
                    "the store threw an error on {} commands, the first for '{}'; the commands are repeated",
                    commands.size(),
                    commands.get(0).name(),
                    error);
        }
    }

    /** Takes the requests of a batch; those that were taken back are left out. */
    private static List<StoreRequest> take(List<StoreRequest> batch) {
        if (batch.size() == 1) {
            return batch.get(0).take() ? batch : List.of();
        }
        List<StoreRequest> taken = new ArrayList<>(batch.size());
        for (StoreRequest request : batch) {
            if (request.take()) {
                taken.add(request);
            }
        }
        return taken;
    }

    private static List<LockCommand> commands(List<StoreRequest> batch) {
        if (batch.size() == 1) {
            return List.of(batch.get(0).command());
        }
        List<LockCommand> commands = new ArrayList<>(batch.size());
        batch.forEach(request -> commands.add(request.command()));
        return Collections.unmodifiableList(commands);
    }

    private static void requireFitting(List<LockCommand> commands, List<LockReply> replies) {
        if (replies.size() != commands.size()) {
            throw new IllegalStateException(
                    "the store answered " + commands.size() + " commands with " + replies.size() + " replies");
        }
        for (int at = 0; at < commands.size(); at++) {
            if (!fits(commands.get(at), replies.get(at))) {
                throw new IllegalStateException("the store's reply does not fit the command: "
                        + CommandLog.text(commands.get(at), replies.get(at)));
            }
        }
    }

    private static boolean fits(LockCommand command, @Nullable LockReply reply) {
        if (reply instanceof LockReply.Unavailable) {
            return true;
        } else if (command instanceof LockCommand.Release) {
            return reply instanceof LockReply.Released;
        } else if (reply instanceof LockReply.Granted || reply instanceof LockReply.Gone) {
            return true;
        }
        return command instanceof LockCommand.Acquire
                && (reply instanceof LockReply.Busy || reply instanceof LockReply.Queued);
    }

    private static List<LockReply> unavailable(List<StoreRequest> batch, Throwable cause) {
        return Collections.nCopies(batch.size(), new LockReply.Unavailable(cause));
    }

    /** A callback that fails does not keep the others from their replies. */
    private void deliver(List<StoreRequest> batch, DualClockInstant sent, List<LockReply> replies) {
        Throwable failure = null;
        boolean before = delivers.get();
        delivers.set(true);
        for (int at = 0; at < batch.size(); at++) {
            try {
                batch.get(at).callback().accept(new StoreReply(sent, replies.get(at)));
            } catch (Throwable e) {
                failure = e;
            }
        }
        delivers.set(before);
        if (failure != null) {
            log.error("handling a reply of the store failed; the other replies are delivered", failure);
        }
    }

    /** Replies to requests for which no thread is available. */
    private void refuse(List<StoreRequest> requests, Throwable cause) {
        List<StoreRequest> batch = take(requests);
        deliver(batch, clock.now(), unavailable(batch, cause));
    }
}
