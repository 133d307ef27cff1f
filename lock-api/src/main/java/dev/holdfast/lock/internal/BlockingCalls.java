package dev.holdfast.lock.internal;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a blocking store: on the caller's thread if one of its lanes is idle, else in batches on a lane's thread. */
final class BlockingCalls implements StoreCalls {

    private static final Logger log = LoggerFactory.getLogger(BlockingCalls.class);
    private static final Duration SOON = Duration.ofMillis(50);

    private final LockStore store;
    private final Clock clock;
    private final Function<String, Executor> threads;
    private final Map<Kind, List<BatchLane>> lanes = new ConcurrentHashMap<>();

    /** @param threads gives a lane of this name its thread */
    BlockingCalls(LockStore store, Clock clock, Function<String, Executor> threads) {
        this.store = store;
        this.clock = clock;
        this.threads = threads;
    }

    @Override
    public void call(Lane lane, List<Request> requests) {
        if (requests.size() == 1) {
            callTogether(Kind.of(lane, requests.get(0)), requests);
            return;
        }
        Map<Kind, List<Request>> together = new LinkedHashMap<>();
        requests.forEach(each -> together.computeIfAbsent(Kind.of(lane, each), any -> new ArrayList<>())
                .add(each));
        together.forEach(this::callTogether);
    }

    private void callTogether(Kind kind, List<Request> requests) {
        List<BatchLane> its = lanes.computeIfAbsent(kind, this::newLanes);
        if (kind.lane() == Lane.CALLER) {
            for (BatchLane lane : its) {
                if (lane.carryIfIdle(requests)) {
                    return;
                }
            }
        }
        its.get(its.size() == 1 ? 0 : ThreadLocalRandom.current().nextInt(its.size()))
                .add(requests);
    }

    /**
     * Steps that may take a second do not share a lane with those that may take ten: a silent store would hold up a short
     * lease's renewal for as long as a long one's may take. By powers of two, so that there are few lanes.
     */
    private record Kind(Lane lane, int magnitude) {
        static Kind of(Lane lane, Request request) {
            return new Kind(
                    lane,
                    Long.SIZE - Long.numberOfLeadingZeros(request.timeout().toMillis()));
        }
    }

    private List<BatchLane> newLanes(Kind kind) {
        int count = kind.lane() == Lane.CALLER ? Math.max(1, store.parallelCalls()) : 1;
        String name = kind.lane().name().toLowerCase(Locale.ROOT) + "-" + kind.magnitude();
        return IntStream.range(0, count)
                .mapToObj(number -> new BatchLane(
                        this::carry, this::refuse, threads.apply(count == 1 ? name : name + "-" + number)))
                .toList();
    }

    private void carry(List<Request> batch) {
        List<Step> steps = new ArrayList<>(batch.size());
        Duration timeout = batch.get(0).timeout();
        for (Request request : batch) {
            steps.add(request.step());
            timeout = request.timeout().compareTo(timeout) < 0 ? request.timeout() : timeout;
        }
        Moment sent = clock.now();
        List<Answer> answers = answers(Collections.unmodifiableList(steps), timeout);
        StepLog.answered(steps, answers, sent, clock);
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
        return Collections.nCopies(steps.size(), new Answer.Unavailable(why, SOON));
    }

    /** One that does not take its reply keeps none of the others from theirs. */
    private static void replyAll(List<Request> batch, Moment sent, List<Answer> answers) {
        Throwable failure = null;
        for (int i = 0; i < batch.size(); i++) {
            try {
                batch.get(i).to().accept(new Reply(sent, answers.get(i)));
            } catch (Throwable e) {
                failure = e;
            }
        }
        if (failure != null) {
            log.error("a reply was not taken", failure);
        }
    }

    /** No thread could be had for them. */
    private void refuse(List<Request> batch, Throwable why) {
        List<Step> steps = batch.stream().map(Request::step).toList();
        replyAll(batch, clock.now(), unavailable(steps, why));
    }
}
