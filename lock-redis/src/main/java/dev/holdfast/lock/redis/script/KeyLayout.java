package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The keys of a namespace. Each name belongs to a shard, and the hash tag of its keys puts all keys of a shard into one Cluster
 * slot. Under a primary term all keys but the term's record begin with the term's epoch, so that nothing of another epoch is
 * ever read. Thread-safe.
 */
public final class KeyLayout {

    private static final String PREFIX = "holdfast:{";

    /** A key that shows a lock which is held, kept or waited for. */
    private static final Pattern LOCK_KEY =
            Pattern.compile("(?s)holdfast:\\{([^:]+):\\d+}:(?:(\\d+):)?(?:lock|reservation):(.+)");

    private final Namespace namespace;
    private final int shards;
    private final Optional<PrimaryTerm> primaryTerm;
    /** The first shard, usually the only one. */
    private final ShardKeys firstShard;
    /** The others in use, by number. */
    private final Map<Integer, ShardKeys> otherShards = new ConcurrentHashMap<>();

    private KeyLayout(Namespace namespace, int shards, Optional<PrimaryTerm> primaryTerm) {
        this.namespace = namespace;
        this.shards = shards;
        this.primaryTerm = primaryTerm;
        this.firstShard = new ShardKeys(prefix(namespace, 0), primaryTerm);
    }

    /**
     * The keys of a standalone store.
     *
     * @param shards the number of shards; the same for all stores that share the locks
     */
    public KeyLayout(Namespace namespace, int shards) {
        this(namespace, shards, Optional.empty());
    }

    /** The keys of a primary term. */
    public KeyLayout under(PrimaryTerm term) {
        return new KeyLayout(namespace, shards, Optional.of(term));
    }

    public Namespace namespace() {
        return namespace;
    }

    public int shards() {
        return shards;
    }

    /** Empty for a standalone store. */
    public Optional<PrimaryTerm> primaryTerm() {
        return primaryTerm;
    }

    /** The shard of a name. */
    ShardKeys shardOf(byte[] name) {
        return shard(shards == 1 ? 0 : JedisClusterCRC16.getCRC16(name) % shards);
    }

    private ShardKeys shard(int number) {
        return number == 0
                ? firstShard
                : otherShards.computeIfAbsent(number, any -> new ShardKeys(prefix(namespace, any), primaryTerm));
    }

    byte[] lock(LockName name) {
        byte[] encoded = ScriptValues.text(name.value());
        return shardOf(encoded).lock(encoded);
    }

    /** The record of a composite's primary term; a namespace of a composite has one shard. */
    public byte[] term() {
        return shard(0).term();
    }

    /** The token counter of a standalone store's first shard. */
    public byte[] tokenCounter() {
        return shard(0).token();
    }

    /** A key that is never written, for testing whether the server takes writes. */
    public byte[] probe() {
        return ScriptValues.text(prefix(namespace, 0) + "probe");
    }

    /** The keys of a lock, in the order of share_keys.lua. */
    List<byte[]> of(LockName name, AcquisitionId id) {
        byte[] encoded = ScriptValues.text(name.value());
        return shardOf(encoded).withShares(encoded, ScriptValues.id(id));
    }

    /** The beginning of the channels that carry notifications; the rest is the channel of one store. */
    public String channels() {
        return "holdfast:" + namespace.value() + ":";
    }

    /** The MATCH pattern of all keys that may show a lock. */
    public String pattern() {
        return primaryTerm
                .map(term -> prefix(namespace, 0) + term.epoch() + ":*")
                .orElse(PREFIX + namespace.value() + ":*");
    }

    /** The lock of a key that shows a lock; empty for any other key. */
    public Optional<LockName> lockOf(String key) {
        Matcher matcher = LOCK_KEY.matcher(key);
        if (!matcher.matches()
                || !matcher.group(1).equals(namespace.value())
                || !Optional.ofNullable(matcher.group(2))
                        .equals(primaryTerm.map(term -> Long.toString(term.epoch())))) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LockName(matcher.group(3)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // a foreign key
        }
    }

    /** The keys of a shard on which the commands of all scripts are tried: a text, a queue and a hash. */
    List<byte[]> probes(int shard) {
        String start = prefix(namespace, shard) + "probe-";
        return List.of(
                ScriptValues.text(start + "text"),
                ScriptValues.text(start + "queue"),
                ScriptValues.text(start + "owners"));
    }

    private static String prefix(Namespace namespace, int shard) {
        return PREFIX + namespace.value() + ":" + shard + "}:";
    }
}
