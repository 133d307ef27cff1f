package dev.holdfast.lock.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** From one process to another: from the call that gives the lock back in one to the return of the call that waits in the other. */
final class Handover extends Scenario {

    /** The lock is kept for a while that differs, as whoever asks again every 20 ms would else always be met at the same point. */
    private static final long SHORTEST_MILLIS = 10;

    private static final long LONGEST_MILLIS = 40;

    private final int times;

    Handover(int times) {
        super("handover", "hand-over from one process to another", List.of(Figure.P50, Figure.P99), true, 2, 1);
        this.times = times;
    }

    @Override
    boolean isRehearsed() {
        return true;
    }

    @Override
    Reading measure(List<RunnerProcess> runners, String lock, Limit limit) throws Exception {
        List<Long> nanos = new ArrayList<>();
        runners.get(0).tell(new Ask(lock));
        runners.get(0).await(Answer.Asked.class, limit);
        for (int i = 0; i < times; i++) {
            RunnerProcess holder = runners.get(i % 2);
            RunnerProcess waiter = runners.get((i + 1) % 2);
            waiter.tell(new Ask(lock));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(
                    ThreadLocalRandom.current().nextLong(SHORTEST_MILLIS, LONGEST_MILLIS)));
            holder.tell(new Give());
            long given = holder.await(Answer.Given.class, limit).began();
            Answer.Asked asked = waiter.await(Answer.Asked.class, limit);
            if (asked.began() < given) { // else this machine stood still, and nobody waited
                nanos.add(asked.granted() - given);
            }
        }
        runners.get(times % 2).tell(new Give());
        runners.get(times % 2).await(Answer.Given.class, limit);
        Quantiles quantiles = Quantiles.of(nanos);
        return new Reading(
                Map.of(
                        Figure.P50, quantiles.at(0.5) / Reading.MICRO,
                        Figure.P99, quantiles.at(0.99) / Reading.MICRO),
                nanos);
    }
}
