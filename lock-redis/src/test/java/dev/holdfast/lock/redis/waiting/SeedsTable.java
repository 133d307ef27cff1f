package dev.holdfast.lock.redis.waiting;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.server.RedisServer;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.clients.jedis.RedisClient;

/**
 * A thousand threads, once each, one lock: Holdfast beside the locks that it replaces, on the same servers in one run; then the
 * same threads in four processes, beside the two fastest of the others. Prints a table; a measurement, not a test.
 */
final class SeedsTable {

    private static final int THREADS = 1_000;
    private static final int PROCESSES = 4;
    private static final int ROWS = 700_000;
    private static final List<Integer> SLEEPS = List.of(20, 50, 100, 150, 200);

    /** What clients send, other than scripts: none of it is called by one. The statements of the row lock are not counted. */
    private static final Map<String, List<String>> SENT = Map.of(
            "holdfast", List.of("evalsha", "eval", "script|load", "subscribe", "ping", "hello"),
            "sleeping", List.of("setnx", "get", "getset", "del", "hello"));

    private SeedsTable() {}

    /** One race. */
    @FunctionalInterface
    private interface Measurement {
        Result of(Contestant.Kind kind) throws Exception;
    }

    @SuppressWarnings("SystemOut") // what it is for
    public static void main(String[] arguments) throws Exception {
        try (RedisServer redis = RedisServer.own();
                PostgresServer postgres = PostgresServer.own()) {
            Contestant.Kind holdfast = Contestant.Kind.holdfast(redis);
            Rows rows = Rows.on(postgres, ROWS);
            List<Contestant.Kind> all = Stream.of(
                            SLEEPS.stream().map(millis -> Contestant.Kind.sleeping(millis, redis)),
                            Stream.of(Contestant.Kind.row(rows), holdfast))
                    .flatMap(kinds -> kinds)
                    .toList();
            Map<Contestant.Kind, Result> results = new LinkedHashMap<>();
            System.out.printf(
                    "%,d threads, once each, one lock; %d connections for each process; both servers write to disk before they answer%n",
                    THREADS, Contestant.POOL);
            System.out.printf(
                    "%-24s %9s %10s %12s %8s %10s%n",
                    "", "processes", "total, ms", "longest, ms", "thread", "commands (with the warm-up)");
            for (Contestant.Kind kind : all) {
                results.put(kind, measure(redis, kind, 1, each -> Result.inOneProcess(each, THREADS)));
            }
            List<Contestant.Kind> fastest = results.keySet().stream()
                    .filter(kind -> !kind.equals(holdfast))
                    .sorted(Comparator.comparingDouble(
                            (Contestant.Kind kind) -> results.get(kind).total()))
                    .limit(2)
                    .toList();
            for (Contestant.Kind kind :
                    Stream.concat(fastest.stream(), Stream.of(holdfast)).toList()) {
                measure(redis, kind, PROCESSES, each -> Result.inProcesses(each, PROCESSES, THREADS / PROCESSES));
            }
        }
    }

    @SuppressWarnings("SystemOut") // what it is for
    private static Result measure(RedisServer redis, Contestant.Kind kind, int processes, Measurement measurement)
            throws Exception {
        long before = sent(redis, kind);
        Result result = measurement.of(kind);
        System.out.printf(
                Locale.ROOT,
                "%-24s %9d %,10.0f %,12.0f %8d %10s%n",
                kind.name(),
                processes,
                result.total(),
                result.longestWait(),
                result.slowest(),
                SENT.containsKey(kind.words().get(0)) ? "%,d".formatted(sent(redis, kind) - before) : "-");
        return result;
    }

    /** What clients of this kind have sent to the server so far. */
    private static long sent(RedisServer redis, Contestant.Kind kind) {
        List<String> names = SENT.getOrDefault(kind.words().get(0), List.of());
        try (RedisClient client = redis.client()) {
            return Pattern.compile("cmdstat_([\\w|]+):calls=(\\d+)")
                    .matcher(client.info("commandstats"))
                    .results()
                    .filter(each -> names.contains(each.group(1)))
                    .mapToLong(each -> Long.parseLong(each.group(2)))
                    .sum();
        }
    }
}
