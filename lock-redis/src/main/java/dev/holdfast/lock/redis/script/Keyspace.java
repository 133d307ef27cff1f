package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.regime.Reign;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * What the keys of a namespace are called. Each name belongs to a bucket, and everything about a bucket is in one slot of a
 * Cluster, as the keys say by their braces. Under a reign all but its mark begin with its epoch, so that nothing of another
 * epoch is ever seen.
 *
 * @param namespace whose keys they are
 * @param buckets how many there are; the same for all who share the locks
 * @param reign under which they are asked for; empty for a store that stands alone
 */
public record Keyspace(Namespace namespace, int buckets, Optional<Reign> reign) {

    private static final String BEGINNING = "holdfast:{";

    private static final AcquisitionId NOBODY = new AcquisitionId(0, 0);

    private static final byte[] LOCK = bytes("lock:");
    private static final byte[] TURN = bytes("turn:");
    private static final byte[] TOKEN = bytes("token");
    private static final byte[] MARK = bytes("reign");
    private static final byte[] QUEUE = bytes("queue:");
    private static final byte[] SEEN = bytes("seen:");
    private static final byte[] OWNERS = bytes("owners:");
    private static final byte[] NOTHING = {};

    private static final Pattern SHOWING =
            Pattern.compile("(?s)holdfast:\\{([^:]+):\\d+}:(?:(\\d+):)?(?:lock|turn):(.+)");

    /** Those of a store that stands alone. */
    public Keyspace(Namespace namespace, int buckets) {
        this(namespace, buckets, Optional.empty());
    }

    /** Those of a reign. */
    public Keyspace under(Reign its) {
        return new Keyspace(namespace, buckets, Optional.of(its));
    }

    /** All that the scripts know about a name, in their order. */
    List<byte[]> keys(LockName name, AcquisitionId id) {
        byte[] its = bytes(name.value());
        byte[] bucket = bytes(bucket(its));
        byte[] place = place(bucket);
        byte[] mark = key(bucket, MARK, NOTHING);
        return List.of(
                key(place, LOCK, its),
                key(place, TURN, its),
                key(place, bytes("gone:" + id + ":"), its),
                reign.isPresent() ? mark : key(place, TOKEN, NOTHING),
                key(place, QUEUE, its),
                key(place, SEEN, its),
                key(place, OWNERS, its),
                mark);
    }

    /** Where a lock itself is. */
    byte[] lock(LockName name) {
        byte[] its = bytes(name.value());
        return key(place(bytes(bucket(its))), LOCK, its);
    }

    /** Where a composite leaves its mark; those that have one have one bucket. */
    public byte[] mark() {
        return key(bytes(beginning(0)), MARK, NOTHING);
    }

    /** Where nothing is, and may be written. */
    public byte[] trial() {
        return key(bytes(beginning(0)), bytes("trial"), NOTHING);
    }

    /** Where a store that stands alone counts the tokens of the first bucket. */
    public byte[] counter() {
        return key(bytes(beginning(0)), TOKEN, NOTHING);
    }

    private byte[] place(byte[] bucket) {
        return reign.map(its -> key(bucket, bytes(its.epoch() + ":"), NOTHING)).orElse(bucket);
    }

    /** A script with what it is called with; under a reign, its last key is the mark. */
    Call call(Script script, List<byte[]> keys, List<byte[]> arguments) {
        if (reign.isEmpty()) {
            return new Call(script, keys, arguments);
        }
        List<byte[]> all = new ArrayList<>(arguments);
        all.add(bytes(Long.toString(reign.get().epoch())));
        all.add(bytes(reign.get().lineage()));
        return new Call(script.underReign(), keys, all);
    }

    private static byte[] key(byte[] bucket, byte[] kind, byte[] name) {
        byte[] key = Arrays.copyOf(bucket, bucket.length + kind.length + name.length);
        System.arraycopy(kind, 0, key, bucket.length, kind.length);
        System.arraycopy(name, 0, key, bucket.length + kind.length, name.length);
        return key;
    }

    /** What shows a lock. */
    public Call look(LockName name) {
        return call(Script.INSPECT, keys(name, NOBODY), List.of());
    }

    /** Where whoever waits listens: this and the number of the store that asked. */
    public String channels() {
        return "holdfast:" + namespace.value() + ":";
    }

    /** What all of its keys that show a lock begin with, as a pattern of the server. */
    public String pattern() {
        return reign.map(its -> beginning(0) + its.epoch() + ":*").orElse(BEGINNING + namespace.value() + ":*");
    }

    /** Which lock this key is about, if it shows that the lock is held, kept or waited for. */
    public Optional<LockName> lockOf(String key) {
        Matcher showing = SHOWING.matcher(key);
        if (!showing.matches()
                || !showing.group(1).equals(namespace.value())
                || !Optional.ofNullable(showing.group(2)).equals(reign.map(its -> Long.toString(its.epoch())))) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LockName(showing.group(3)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // somebody else's key
        }
    }

    /** A call of a probe that tells what scripts would be refused in this bucket, and leaves nothing. */
    public Call probe(Script probe, int bucket) {
        String beginning = beginning(bucket) + "probe-";
        return new Call(
                probe,
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
