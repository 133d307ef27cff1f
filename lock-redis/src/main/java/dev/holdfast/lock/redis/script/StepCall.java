package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Step;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A step as a call, and the server's reply as its answer. */
public final class StepCall {

    /** Who does not queue has to ask again: as soon as a grant of the usual short kind may be over. */
    private static final Duration SOON = Duration.ofMillis(20);

    private static final Duration LATER = Duration.ofSeconds(1);

    private final Keyspace keyspace;
    private final byte[] channels;
    private final byte[] channel;

    /** @param channel the number of the store, by which it is told whose turn it is */
    public StepCall(Keyspace keyspace, String channel) {
        this.keyspace = keyspace;
        this.channels = bytes(keyspace.channels());
        this.channel = bytes(channel);
    }

    /** Under which keys. */
    public Keyspace keyspace() {
        return keyspace;
    }

    /** What to send. */
    public Call of(Step step) {
        byte[] name = bytes(step.name().value());
        byte[] id = bytes(step.id().toString());
        Bucket bucket = keyspace.bucket(name);
        if (step instanceof Step.Acquire acquire) {
            return keyspace.call(
                    Script.ACQUIRE,
                    bucket.keys(name, id),
                    List.of(
                            id,
                            number(Limits.millis(acquire.length())),
                            number(acquire.queue() ? 1 : 0),
                            number(acquire.above()),
                            bytes(Limits.owner(acquire.owner())),
                            channel,
                            channels,
                            name));
        } else if (step instanceof Step.Renew renew) {
            return keyspace.call(
                    Script.RENEW, bucket.keysToRenew(name), List.of(id, number(Limits.millis(renew.length()))));
        }
        Step.Release release = (Step.Release) step;
        return keyspace.call(
                Script.RELEASE,
                bucket.keys(name, id),
                List.of(
                        id,
                        number(Limits.micros(release.keep())),
                        number(Limits.millis(release.remember())),
                        channels,
                        name));
    }

    /** The same of several. */
    public List<Call> of(List<Step> steps) {
        List<Call> calls = new ArrayList<>(steps.size());
        for (Step step : steps) {
            calls.add(of(step));
        }
        return calls;
    }

    /**
     * What the server said.
     *
     * @throws IllegalStateException if it is nothing that our scripts say
     */
    public static Answer answer(Step step, Object reply) {
        if (!(reply instanceof List<?> words) || words.isEmpty()) {
            throw unknown(step, reply);
        }
        return switch (text(words.get(0))) {
            case "granted" -> new Answer.Granted(Long.parseLong(text(words.get(1))), millis(words.get(2)));
            case "waiting" ->
                new Answer.Waiting(QueueTimes.askAgain(millis(words.get(1)), ((Long) words.get(2)).intValue()));
            case "busy" -> new Answer.Busy(soon(millis(words.get(1))));
            case "gone" -> new Answer.Gone();
            case "released" -> new Answer.Released(true);
            case "absent" -> new Answer.Released(false);
            case "exhausted" ->
                new Answer.Unavailable(
                        new LockUnavailableException(
                                "no token is left above " + text(words.get(1)) + " for " + step.name()
                                        + ": tokens end at " + text(words.get(2)),
                                null),
                        LATER);
            case "owned" ->
                new Answer.Unavailable(
                        new LockUnavailableException(
                                "a composite grants the locks of this namespace now, and so " + step.name()
                                        + ": use lock.provider=composite, or another lock.namespace",
                                null),
                        LATER);
            default -> throw unknown(step, reply);
        };
    }

    private static IllegalStateException unknown(Step step, Object reply) {
        return new IllegalStateException("the server answered " + step + " with " + reply);
    }

    private static Duration soon(Duration left) {
        return left.isNegative() || left.compareTo(SOON) > 0 ? SOON : left;
    }

    private static Duration millis(Object number) {
        return Duration.ofMillis((Long) number);
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.UTF_8);
    }

    private static byte[] number(long number) {
        return bytes(Long.toString(number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
