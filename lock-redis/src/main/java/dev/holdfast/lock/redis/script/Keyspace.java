package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
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

    private static final String LOCK = "lock:";
    private static final String TURN = "turn:";

    /** All that the scripts know about a name, in their order. */
    List<byte[]> keys(LockName name, AcquisitionId id) {
        String bucket = bucket(name);
        return List.of(
                bytes(bucket + LOCK + name.value()),
                bytes(bucket + TURN + name.value()),
                bytes(bucket + "gone:" + id + ":" + name.value()),
                bytes(bucket + "token"),
                bytes(bucket + "queue:" + name.value()),
                bytes(bucket + "seen:" + name.value()),
                bytes(bucket + "owners:" + name.value()));
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
        int end = key.indexOf("}:");
        if (!key.startsWith(BEGINNING + namespace.value() + ":") || end < 0) {
            return Optional.empty();
        }
        String rest = key.substring(end + 2);
        if (rest.startsWith(LOCK) || rest.startsWith(TURN)) {
            try {
                return Optional.of(new LockName(rest.substring(LOCK.length())));
            } catch (IllegalArgumentException e) {
                return Optional.empty(); // somebody else's key
            }
        }
        return Optional.empty();
    }

    private String bucket(LockName name) {
        int bucket = buckets == 1 ? 0 : JedisClusterCRC16.getCRC16(bytes(name.value())) % buckets;
        return BEGINNING + namespace.value() + ":" + bucket + "}:";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
