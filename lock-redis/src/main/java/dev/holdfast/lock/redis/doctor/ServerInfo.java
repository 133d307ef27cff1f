package dev.holdfast.lock.redis.doctor;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The facts of INFO that matter to locks.
 *
 * @param product name and version, such as Redis 7.4.1, Valkey 8.0.1, or those of a server that is compatible with them
 * @param version of Redis, or that of Redis with which it is compatible
 * @param mode {@code standalone}, {@code sentinel} or {@code cluster}
 * @param role {@code master}, {@code slave} or {@code sentinel}
 * @param replicationId the history to which its data belong; a replica has that of its master
 * @param isLoading whether it is still loading its data
 * @param policy the eviction policy for when its memory is full
 * @param isLimited whether its memory is limited
 * @param appends whether it has an append-only file
 * @param replicas the number of attached replicas
 * @param hasBacklog whether it has a replication backlog: since its first replica attached, or since it was one
 */
record ServerInfo(
        String product,
        String version,
        String mode,
        String role,
        String replicationId,
        boolean isLoading,
        String policy,
        boolean isLimited,
        boolean appends,
        int replicas,
        boolean hasBacklog) {

    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6}).*");
    private static final int OLDEST_MAJOR = 6;
    private static final int OLDEST_MINOR = 2;

    /** The policy that evicts nothing. */
    static final String KEEPS_ALL = "noeviction";

    /** The oldest supported version. */
    static final String OLDEST = OLDEST_MAJOR + "." + OLDEST_MINOR;

    private static final String UNKNOWN = "unknown";

    private static final String OWN_VERSION = "_version";
    private static final String REDIS = "redis";
    private static final String VALKEY = "valkey";

    /** Each reports its own version beside that of Redis with which it is compatible. */
    private static final List<String> COMPATIBLE = List.of(VALKEY, "dragonfly", "garnet", "keydb");

    /** Reads the reply to INFO. */
    static ServerInfo of(String answer) {
        Map<String, String> facts = new HashMap<>();
        answer.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                facts.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        String version = facts.getOrDefault("redis_version", UNKNOWN);
        return new ServerInfo(
                product(facts, version),
                version,
                mode(facts),
                facts.getOrDefault("role", UNKNOWN),
                facts.getOrDefault("master_replid", UNKNOWN),
                "1".equals(facts.get("loading")),
                facts.getOrDefault("maxmemory_policy", UNKNOWN),
                !"0".equals(facts.get("maxmemory")),
                "1".equals(facts.get("aof_enabled")),
                Integer.parseInt(facts.getOrDefault("connected_slaves", "0")),
                "1".equals(facts.get("repl_backlog_active")));
    }

    private static String product(Map<String, String> facts, String version) {
        String name = name(facts);
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1) + " "
                + facts.getOrDefault(name + OWN_VERSION, version);
    }

    private static String name(Map<String, String> facts) {
        return facts.getOrDefault(
                "server_name",
                COMPATIBLE.stream()
                        .filter(name -> facts.containsKey(name + OWN_VERSION))
                        .findFirst()
                        .orElse(REDIS));
    }

    /** Valkey has another name for the key. A server that has neither still reports whether it belongs to a Cluster. */
    private static String mode(Map<String, String> facts) {
        String named = facts.getOrDefault("redis_mode", facts.getOrDefault("server_mode", UNKNOWN));
        return named.equals(UNKNOWN) && "1".equals(facts.get("cluster_enabled")) ? "cluster" : named;
    }

    /** Whether it has all commands that the scripts call. */
    boolean isNewEnough() {
        Matcher numbers = VERSION.matcher(version);
        if (!numbers.matches()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        return major > OLDEST_MAJOR || (major == OLDEST_MAJOR && Integer.parseInt(numbers.group(2)) >= OLDEST_MINOR);
    }

    /** Whether it is a Redis or a Valkey, and not only compatible with them. */
    boolean isRedisOrValkey() {
        return Stream.of(REDIS, VALKEY).anyMatch(product.toLowerCase(Locale.ROOT)::startsWith);
    }

    /** Whether it evicts nothing. */
    boolean keepsAll() {
        return policy.equals(KEEPS_ALL);
    }

    /** Whether it says that it evicts; a proxy or a service may not say what it does. */
    boolean mayEvict() {
        return !keepsAll() && !policy.equals(UNKNOWN);
    }
}
