package dev.holdfast.lock.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The locks of one namespace on a server, decided by the scripts with another clock: a key has the time, so that it stands still
 * unless the test moves it. What expires does so by the server's clock. Notifications are kept in a list.
 */
final class VirtualScripts {

    static final long BASE = 1_000;
    private static final String SECONDS = "virtual-seconds";
    private static final String MICROS = "virtual-micros";
    private static final String CHANNEL = "channel";

    private final RedisClient server;
    private final KeyLayout keys;
    private final CommandScripts scripts;
    private final UnaryOperator<String> change;
    private int mostAcquiresOfASet;

    /**
     * @param isUnderTerm whether the commands are those of a composite's primary term, which is made active
     * @param change made to the text of each script
     */
    VirtualScripts(RedisClient server, Namespace namespace, boolean isUnderTerm, UnaryOperator<String> change) {
        this.server = server;
        this.change = change;
        KeyLayout standalone = new KeyLayout(namespace, 1);
        keys = isUnderTerm ? standalone.under(new PrimaryTerm(7, replicationId(server))) : standalone;
        scripts = new CommandScripts(
                keys, CHANNEL, failure -> new LockUnavailableException(failure.getMessage(), failure), 0);
        if (isUnderTerm) {
            server.set(new String(keys.term(), UTF_8), "7 " + BASE + " " + BASE);
        }
    }

    static void setClock(RedisClient server, Instant now) {
        server.mset(SECONDS, Long.toString(now.getEpochSecond()), MICROS, Long.toString(now.getNano() / 1_000));
    }

    static String replicationId(RedisClient server) {
        String key = "master_replid:";
        return server.info("replication")
                .lines()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()).strip())
                .findFirst()
                .orElseThrow();
    }

    /** Executes these commands as one call of a store would. */
    List<LockReply> execute(List<LockCommand> commands) {
        CommandScripts.Exchange exchange = scripts.begin(commands);
        while (!exchange.receive(call(exchange.calls()))) {}
        return exchange.replies();
    }

    private List<Object> call(List<ScriptCall> calls) {
        List<Object> results = new ArrayList<>();
        for (ScriptCall call : calls) {
            if (call.script().text().contains("'decided'")) {
                int acquires = Integer.parseInt(new String(call.arguments().get(0), UTF_8));
                mostAcquiresOfASet = Math.max(mostAcquiresOfASet, acquires);
            }
            try {
                results.add(server.eval(virtual(call.script().text()).getBytes(UTF_8), call.keys(), call.arguments()));
            } catch (JedisDataException e) {
                results.add(e);
            }
        }
        return results;
    }

    /** Of all calls so far. */
    int mostAcquiresOfASet() {
        return mostAcquiresOfASet;
    }

    private String virtual(String text) {
        return change.apply(text)
                .replace("redis.call('TIME')", "redis.call('MGET', '" + SECONDS + "', '" + MICROS + "')")
                .replace("'PUBLISH'", "'RPUSH'")
                .replace("local QUEUE_TTL = WAITER_TTL + 1000", "local QUEUE_TTL = 3600000");
    }

    /** The last token. */
    long lastToken() {
        String token =
                server.get(new String(keys.primaryTerm().isPresent() ? keys.term() : keys.tokenCounter(), UTF_8));
        return token == null ? 0 : Long.parseLong(token.substring(token.lastIndexOf(' ') + 1));
    }

    /** A key's value without the token of a lock, and how many hours are left of it, rounded up; -1 for ever. */
    record Value(Object value, long hours) {}

    /** By key without its namespace, but for the counter of tokens. */
    SortedMap<String, Value> state() {
        SortedMap<String, Value> state = new TreeMap<>();
        String shard = "holdfast:{" + keys.namespace() + ":0}:";
        for (String key : server.keys(shard + "*")) {
            String kind = key.substring(shard.length());
            if (!kind.equals("token") && !kind.equals("term")) {
                state.put(kind, new Value(value(key), hours(key)));
            }
        }
        server.lrange(keys.channels() + CHANNEL, 0, -1).stream()
                .sorted()
                .forEach(each -> state.merge(
                        "notified " + each, new Value(1, -1), (one, more) -> new Value((int) one.value() + 1, -1)));
        return state;
    }

    private Object value(String key) {
        return switch (server.type(key)) {
            case "string" ->
                key.contains(":reservation:")
                        ? since(Long.parseLong(server.get(key)))
                        : server.get(key).replaceFirst("^([hk] \\p{XDigit}+) \\d+ ", "$1 ");
            case "zset" -> server.zrangeWithScores(key, 0, -1);
            case "hash" -> server.hgetAll(key);
            default -> server.type(key);
        };
    }

    /** Since when the lock is reserved; the end of a lease in hours, as the server's clock counts them. */
    private Object since(long millis) {
        long now = 1_000 * Long.parseLong(server.get(SECONDS)) + Long.parseLong(server.get(MICROS)) / 1_000;
        return millis <= now ? millis : -Math.floorDiv(now - millis, 3_600_000L) + " hours";
    }

    /** Durations in these tests are hours, of which little has passed. */
    private long hours(String key) {
        long left = server.pttl(key);
        return left < 0 ? -1 : -Math.floorDiv(-left, 3_600_000L);
    }

    void put(String kind, String value) {
        server.set("holdfast:{" + keys.namespace() + ":0}:" + kind, value);
    }

    void putHash(String kind) {
        server.hset("holdfast:{" + keys.namespace() + ":0}:" + kind, "foreign", "value");
    }
}
