package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.regime.Reign;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * What the keys of a namespace are called. Each name belongs to a bucket, and everything about a bucket is in one slot of a
 * Cluster, as the keys say by their braces. Under a reign all but its mark begin with its epoch, so that nothing of another
 * epoch is ever seen. Thread-safe.
 */
public final class Keyspace {

    private static final String BEGINNING = "holdfast:{";

    private static final AcquisitionId NOBODY = new AcquisitionId(0, 0);

    private static final Pattern SHOWING =
            Pattern.compile("(?s)holdfast:\\{([^:]+):\\d+}:(?:(\\d+):)?(?:lock|turn):(.+)");

    private final Namespace namespace;
    private final int buckets;
    private final Optional<Reign> reign;
    /** Those that were used, by number. */
    private final Map<Integer, Bucket> used = new ConcurrentHashMap<>();

    private Keyspace(Namespace namespace, int buckets, Optional<Reign> reign) {
        this.namespace = namespace;
        this.buckets = buckets;
        this.reign = reign;
    }

    /**
     * Those of a store that stands alone.
     *
     * @param namespace whose keys they are
     * @param buckets how many there are; the same for all who share the locks
     */
    public Keyspace(Namespace namespace, int buckets) {
        this(namespace, buckets, Optional.empty());
    }

    /** Those of a reign. */
    public Keyspace under(Reign its) {
        return new Keyspace(namespace, buckets, Optional.of(its));
    }

    /** Whose keys they are. */
    public Namespace namespace() {
        return namespace;
    }

    /** How many buckets there are. */
    public int buckets() {
        return buckets;
    }

    /** Under which they are asked for; empty for a store that stands alone. */
    public Optional<Reign> reign() {
        return reign;
    }

    /** Which one a name belongs to. */
    Bucket bucket(byte[] name) {
        return bucket(buckets == 1 ? 0 : JedisClusterCRC16.getCRC16(name) % buckets);
    }

    private Bucket bucket(int number) {
        return used.computeIfAbsent(number, any -> new Bucket(beginning(number), reign));
    }

    /** Where a lock itself is. */
    byte[] lock(LockName name) {
        byte[] its = bytes(name.value());
        return bucket(its).lock(its);
    }

    /** Where a composite leaves its mark; those that have one have one bucket. */
    public byte[] mark() {
        return bucket(0).mark();
    }

    /** Where a store that stands alone counts the tokens of the first bucket. */
    public byte[] counter() {
        return bucket(0).token();
    }

    /** Where nothing is, and may be written. */
    public byte[] trial() {
        return bytes(beginning(0) + "trial");
    }

    /** A script with what it is called with; under a reign, its last key is the mark. */
    Call call(Script script, int locks, List<byte[]> keys, List<byte[]> arguments) {
        if (reign.isEmpty()) {
            return new Call(script, locks, keys, arguments);
        }
        List<byte[]> all = new ArrayList<>(arguments);
        all.add(bytes(Long.toString(reign.get().epoch())));
        all.add(bytes(reign.get().lineage()));
        return new Call(script.underReign(), locks, keys, all);
    }

    /** What shows a lock. */
    public Call look(LockName name) {
        byte[] its = bytes(name.value());
        return call(Script.INSPECT, 1, bucket(its).keys(its, bytes(NOBODY.toString())), List.of());
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
                0,
                List.of(bytes(beginning + "text"), bytes(beginning + "queue"), bytes(beginning + "owners")),
                List.of(bytes(channels() + "probe")));
    }

    private String beginning(int bucket) {
        return BEGINNING + namespace.value() + ":" + bucket + "}:";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
