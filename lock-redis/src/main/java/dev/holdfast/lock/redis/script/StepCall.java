package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Step;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Steps as calls, and the server's replies as their answers. */
public final class StepCall {

    /** Who does not queue has to ask again: as soon as a grant of the usual short kind may be over. */
    private static final Duration SOON = Duration.ofMillis(20);

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

    /**
     * What to send. Renewals of one bucket between which there is nothing else travel as one call, and so does a release with an
     * acquire of the same lock that follows it.
     */
    public Batch of(List<Step> steps) {
        Batch batch = new Batch(steps.size());
        Map<Bucket, Renewals> renewals = new LinkedHashMap<>();
        for (int at = 0; at < steps.size(); at++) {
            Step step = steps.get(at);
            byte[] name = bytes(step.name().value());
            Bucket bucket = keyspace.bucket(name);
            if (step instanceof Step.Renew renew) {
                Renewals its = renewals.computeIfAbsent(bucket, Renewals::new);
                its.add(renew, name, at);
                if (its.isFull()) {
                    add(its, batch);
                    renewals.remove(bucket);
                }
            } else {
                addAll(renewals, batch);
                if (at + 1 < steps.size() && Passing.are(step, steps.get(at + 1))) {
                    batch.add(
                            pass((Step.Release) step, (Step.Acquire) steps.get(at + 1), bucket, name),
                            List.of(at, at + 1));
                    at++;
                } else {
                    batch.add(call(step, bucket, name), List.of(at));
                }
            }
        }
        addAll(renewals, batch);
        return batch;
    }

    private void addAll(Map<Bucket, Renewals> renewals, Batch batch) {
        renewals.values().forEach(each -> add(each, batch));
        renewals.clear();
    }

    private void add(Renewals renewals, Batch batch) {
        batch.add(renewals.call(keyspace), renewals.steps());
    }

    private Call call(Step step, Bucket bucket, byte[] name) {
        byte[] id = bytes(step.id().toString());
        List<byte[]> keys = bucket.keys(name, id);
        if (step instanceof Step.Acquire acquire) {
            return keyspace.call(Script.ACQUIRE, 1, keys, asked(acquire, id, name));
        }
        Step.Release release = (Step.Release) step;
        List<byte[]> arguments = List.of(id, keep(release), number(Limits.millis(release.remember())), channels, name);
        return keyspace.call(Script.RELEASE, 1, keys, arguments);
    }

    private Call pass(Step.Release release, Step.Acquire acquire, Bucket bucket, byte[] name) {
        byte[] id = bytes(acquire.id().toString());
        List<byte[]> arguments = new ArrayList<>(asked(acquire, id, name));
        arguments.add(bytes(release.id().toString()));
        arguments.add(keep(release));
        return keyspace.call(Script.PASS, 1, bucket.keys(name, id), arguments);
    }

    private List<byte[]> asked(Step.Acquire acquire, byte[] id, byte[] name) {
        return List.of(
                id,
                number(Limits.millis(acquire.length())),
                number(acquire.queue() ? 1 : 0),
                number(acquire.above()),
                bytes(Limits.owner(acquire.owner())),
                channel,
                channels,
                name);
    }

    private static byte[] keep(Step.Release release) {
        return number(Limits.micros(release.keep()));
    }

    /**
     * What the server said.
     *
     * @throws IllegalStateException if it is nothing that our scripts say
     */
    public static Answer answer(Step step, Object reply) {
        if (step instanceof Step.Renew && reply instanceof byte[] renewed) {
            return renewed(step, text(renewed));
        }
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
                new Answer.Unavailable(new LockUnavailableException(
                        "no token is left above " + text(words.get(1)) + " for " + step.name() + ": tokens end at "
                                + text(words.get(2)),
                        null));
            case "owned" ->
                new Answer.Unavailable(new LockUnavailableException(
                        "a composite grants the locks of this namespace now, and so " + step.name()
                                + ": use lock.provider=composite, or another lock.namespace",
                        null));
            default -> throw unknown(step, reply);
        };
    }

    private static Answer renewed(Step step, String words) {
        if (words.equals("gone")) {
            return new Answer.Gone();
        }
        int end = words.indexOf(' ');
        if (end < 0) {
            throw unknown(step, words);
        }
        return new Answer.Granted(
                Long.parseLong(words, 0, end, 10),
                Duration.ofMillis(Long.parseLong(words, end + 1, words.length(), 10)));
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
