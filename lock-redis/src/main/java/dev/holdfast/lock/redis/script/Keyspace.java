package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * What the keys of a namespace are called. Each name belongs to a bucket, and everything about a bucket is in one slot of a
 * Cluster, as the keys say by their braces.
 *
 * @param namespace whose keys they are
 * @param buckets how many there are; the same for all who share the locks
 */
public record Keyspace(Namespace namespace, int buckets) {

    private static final String BEGINNING = "holdfast:{";

    private static final AcquisitionId NOBODY = new AcquisitionId(0, 0);

    private static final byte[] LOCK = bytes("lock:");
    private static final byte[] TURN = bytes("turn:");
    private static final byte[] TOKEN = bytes("token");
    private static final byte[] QUEUE = bytes("queue:");
    private static final byte[] SEEN = bytes("seen:");
    private static final byte[] OWNERS = bytes("owners:");
    private static final byte[] NOTHING = {};

    private static final Pattern SHOWING = Pattern.compile("(?s)holdfast:\\{([^:]+):\\d+}:(?:lock|turn):(.+)");

    /** All that the scripts know about a name, in their order. */
    List<byte[]> keys(LockName name, AcquisitionId id) {
        byte[] its = bytes(name.value());
        byte[] bucket = bytes(bucket(its));
        return List.of(
                key(bucket, LOCK, its),
                key(bucket, TURN, its),
                key(bucket, bytes("gone:" + id + ":"), its),
                key(bucket, TOKEN, NOTHING),
                key(bucket, QUEUE, its),
                key(bucket, SEEN, its),
                key(bucket, OWNERS, its));
    }

    private static byte[] key(byte[] bucket, byte[] kind, byte[] name) {
        byte[] key = Arrays.copyOf(bucket, bucket.length + kind.length + name.length);
        System.arraycopy(kind, 0, key, bucket.length, kind.length);
        System.arraycopy(name, 0, key, bucket.length + kind.length, name.length);
        return key;
    }

    /** What shows a lock. */
    public Call look(LockName name) {
        return new Call(Script.INSPECT, keys(name, NOBODY), List.of());
    }

    /** Where whoever waits listens: this and the number of the store that asked. */
    public String channels() {
        return "holdfast:" + namespace.value() + ":";
    }

    /** What all of its keys that show a lock begin with, as a pattern of the server. */
    public String pattern() {
        return BEGINNING + namespace.value() + ":*";
    }

    /** Which lock this key is about, if it shows that the lock is held, kept or waited for. */
    public Optional<LockName> lockOf(String key) {
        Matcher showing = SHOWING.matcher(key);
        if (!showing.matches() || !showing.group(1).equals(namespace.value())) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LockName(showing.group(2)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // somebody else's key
        }
    }

    /** A call that tells what scripts would be refused in this bucket, and leaves nothing. */
    public Call probe(int bucket) {
        String beginning = beginning(bucket) + "probe-";
        return new Call(
                Script.PROBE,
                List.of(bytes(beginning + "text"), bytes(beginning + "queue"), bytes(beginning + "owners")),
                List.of(bytes(channels() + "probe")));
    }

    private String bucket(byte[] name) {
        return beginning(buckets == 1 ? 0 : JedisClusterCRC16.getCRC16(name) % buckets);
    }

    private String beginning(int bucket) {
        return BEGINNING + namespace.value() + ":" + bucket + "}:";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
