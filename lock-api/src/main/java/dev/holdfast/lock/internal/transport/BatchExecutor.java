package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Clock;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a blocking store: on the caller's thread if not too many do so already, else in batches on a lane's thread. */
public final class BatchExecutor implements StoreExecutor {

    private static final Logger log = LoggerFactory.getLogger(BatchExecutor.class);
    private final LockStore store;
    private final Clock clock;
    private final BiFunction<String, Integer, Executor> threads;
    private final int moreCallers;
    /** What callers of all timeouts may have under way beside the first of each: the connections have other uses, too. */
    private final Semaphore more;

    private final Map<Kind, BatchLane> lanes = new ConcurrentHashMap<>();

    /** @param threads gives a lane of this name as many threads */
    public BatchExecutor(LockStore store, Clock clock, BiFunction<String, Integer, Executor> threads) {
        this.store = store;
        this.clock = clock;
        this.threads = threads;
        this.moreCallers = Math.max(1, Math.min(LockStore.MOST_PARALLEL_CALLS, store.parallelCalls())) - 1;
        this.more = new Semaphore(moreCallers);
    }

    @Override
    public void call(Lane lane, List<StoreRequest> requests) {
        if (requests.size() == 1) {
            callTogether(Kind.of(lane, requests.get(0)), requests);
            return;
        }
        Map<Kind, List<StoreRequest>> together = new LinkedHashMap<>();
        requests.forEach(each -> together.computeIfAbsent(Kind.of(lane, each), any -> new ArrayList<>())
                .add(each));
        together.forEach(this::callTogether);
    }

    private void callTogether(Kind kind, List<StoreRequest> requests) {
        BatchLane lane = lanes.computeIfAbsent(kind, this::newLane);
        if (kind.lane() == Lane.CALLER) {
            lane.carryOrAdd(requests);
        } else {
            lane.add(requests);
        }
    }

    /**
     * Steps that may take a second do not share a lane with those that may take ten: a silent store would hold up a short
     * lease's renewal for as long as a long one's may take. By powers of two, so that there are few lanes.
     */
    private record Kind(Lane lane, int magnitude) {
        static Kind of(Lane lane, StoreRequest request) {
            return new Kind(
                    lane,
                    Long.SIZE - Long.numberOfLeadingZeros(request.timeout().toMillis()));
        }
    }

    private BatchLane newLane(Kind kind) {
        boolean isCallers = kind.lane() == Lane.CALLER;
        String name = kind.lane().name().toLowerCase(Locale.ROOT) + "-" + kind.magnitude();
        return new BatchLane(
                this::carry,
                this::refuse,
                threads.apply(name, isCallers ? 1 + moreCallers : 1),
                isCallers ? more : new Semaphore(0));
    }

    private void carry(List<StoreRequest> batch) {
        List<Step> steps = new ArrayList<>(batch.size());
        Duration timeout = batch.get(0).timeout();
        for (StoreRequest request : batch) {
            steps.add(request.step());
            timeout = request.timeout().compareTo(timeout) < 0 ? request.timeout() : timeout;
        }
        DualClockInstant sent = clock.now();
        List<Answer> answers = answers(Collections.unmodifiableList(steps), timeout);
        CommandLog.answered(steps, answers, sent, clock);
        replyAll(batch, sent, answers);
    }

    /** What a store throws, whatever it is, and what it must not answer are no answers. */
    private List<Answer> answers(List<Step> steps, Duration timeout) {
        try {
            List<Answer> answers = store.apply(steps, timeout);
            for (int i = 0; i < steps.size(); i++) {
                if (answers.size() != steps.size() || !fits(steps.get(i), answers.get(i))) {
                    throw new IllegalStateException("the store answered " + steps + " with " + answers);
                }
            }
            return answers;
        } catch (RuntimeException e) {
            return unavailable(steps, e);
        } catch (Throwable e) {
            log.error("the store failed", e);
            return unavailable(steps, e);
        }
    }

    private static boolean fits(Step step, Answer answer) {
        if (answer instanceof Answer.Unavailable) {
            return true;
        } else if (step instanceof Step.Release) {
            return answer instanceof Answer.Released;
        } else if (answer instanceof Answer.Granted || answer instanceof Answer.Gone) {
            return true;
        }
        return step instanceof Step.Acquire && (answer instanceof Answer.Busy || answer instanceof Answer.Waiting);
    }

    private static List<Answer> unavailable(List<Step> steps, Throwable why) {
        return Collections.nCopies(steps.size(), new Answer.Unavailable(why));
    }

    /** One that does not take its reply keeps none of the others from theirs. */
    private static void replyAll(List<StoreRequest> batch, DualClockInstant sent, List<Answer> answers) {
        Throwable failure = null;
        for (int i = 0; i < batch.size(); i++) {
            try {
                batch.get(i).to().accept(new StoreResponse(sent, answers.get(i)));
            } catch (Throwable e) {
                failure = e;
            }
        }
        if (failure != null) {
            log.error("a reply was not taken", failure);
        }
    }

    /** No thread could be had for them. */
    private void refuse(List<StoreRequest> batch, Throwable why) {
        List<Step> steps = batch.stream().map(StoreRequest::step).toList();
        replyAll(batch, clock.now(), unavailable(steps, why));
    }
}
