package dev.holdfast.lock.bench.alone;

import dev.holdfast.lock.bench.peer.Place;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What an {@link Observation} came to.
 *
 * @param id of the observation
 * @param title of it
 */
public record Observed(String id, String title, Result result) {

    /** How it ended. */
    public sealed interface Result {}

    /** It was gone through. */
    public record Seen(List<Quantity> quantities) implements Result {}

    /** It could not be gone through here. */
    public record Skipped(String why) implements Result {}

    /** It threw, or did not come to an end. */
    public record Failed(String why) implements Result {}

    /**
     * Goes through it once.
     *
     * @param limit after which it hangs: it is interrupted, and nobody waits for it any longer
     */
    public static Observed of(Observation observation, Place place, Duration limit) throws InterruptedException {
        Optional<String> missing = observation.missing();
        Result result = missing.isPresent() ? new Skipped(missing.get()) : result(observation, place, limit);
        return new Observed(observation.id(), observation.title(), result);
    }

    private static Result result(Observation observation, Place place, Duration limit) throws InterruptedException {
        FutureTask<List<Quantity>> task = new FutureTask<>(() -> observation.run(place));
        Thread thread = new Thread(task, "observes " + observation.id());
        thread.setDaemon(true);
        thread.start();
        try {
            return new Seen(task.get(limit.toNanos(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return new Failed(String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            return new Failed("did not finish within " + limit.toSeconds() + " s");
        } finally {
            task.cancel(true);
        }
    }

    /** What was measured; empty if it was not. */
    public List<Quantity> quantities() {
        return result instanceof Seen seen ? seen.quantities() : List.of();
    }

    /** Why nothing was measured; empty if it was. */
    public Optional<String> missing() {
        if (result instanceof Skipped skipped) {
            return Optional.of(skipped.why());
        }
        return result instanceof Failed failed ? Optional.of(failed.why()) : Optional.empty();
    }
}
