package dev.holdfast.lock.redis.server;

import dev.holdfast.lock.pulse.Pulse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import redis.clients.jedis.Protocol.Command;

/**
 * A master, two replicas and three sentinels, as processes of this machine. The sentinels miss a master after a second, and
 * two of them are enough to name another.
 */
public final class Sentinels implements AutoCloseable {

    private static final String NAME = "main";

    private static final Duration STANDSTILL = Duration.ofSeconds(1);

    private final List<EmbeddedServer> servers = new ArrayList<>();
    private final List<EmbeddedServer> sentinels = new ArrayList<>();

    private Sentinels(Duration missedAfter, String... directives) {
        Directives common = Directives.standalone()
                .and("repl-ping-replica-period 1", "min-replicas-max-lag 2")
                .and(directives);
        EmbeddedServer master = new EmbeddedServer(common);
        servers.add(master);
        for (int i = 0; i < 2; i++) {
            servers.add(new EmbeddedServer(common.and("replicaof 127.0.0.1 " + master.port())));
        }
        // A sentinel asks a master for its replicas at once, and then not for another ten seconds.
        Awaiting.until("the replicas follow", () -> follow(master));
        Directives watching = new Directives(List.of(
                "protected-mode no",
                "sentinel monitor " + NAME + " 127.0.0.1 " + master.port() + " 2",
                "sentinel down-after-milliseconds " + NAME + " " + missedAfter.toMillis(),
                "sentinel failover-timeout " + NAME + " 3000"));
        for (int i = 0; i < 3; i++) {
            sentinels.add(EmbeddedServer.sentinel(watching));
        }
    }

    /**
     * Starts them all and waits until they are whole.
     *
     * @param directives more lines for the configuration of master and replicas
     * @throws org.opentest4j.TestAbortedException unless servers are {@code embedded}
     */
    public static Sentinels start(String... directives) {
        return start(Duration.ofSeconds(1), directives);
    }

    /** The same for those who want no failover: the sentinels miss a master only after a minute. */
    public static Sentinels patient() {
        return start(Duration.ofMinutes(1));
    }

    /** What relies on them to name another master. */
    @FunctionalInterface
    public interface Failover {
        void rely(Sentinels sentinels, Pulse pulse) throws Exception;
    }

    /**
     * Starts them for what relies on a failover; anew if it failed beside a standstill of this process or of theirs. Sentinels
     * that stood still for two seconds look on for half a minute, and then think the replicas too old.
     */
    public static void steadily(Failover failover) throws Exception {
        Pulse.steadily(STANDSTILL, pulse -> {
            try (Sentinels sentinels = start()) {
                sentinels.sentinels().forEach(sentinel -> pulse.feel(new ServerHeart(sentinel)));
                failover.rely(sentinels, pulse);
            }
        });
    }

    private static Sentinels start(Duration missedAfter, String... directives) {
        EmbeddedServer.require();
        Sentinels sentinels = new Sentinels(missedAfter, directives);
        sentinels.awaitWhole();
        return sentinels;
    }

    /** Where clients find them. */
    public String uri() {
        return "redis-sentinel://"
                + sentinels.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","))
                + "/" + NAME;
    }

    /** The master, as the first sentinel that answers names it. */
    public RedisServer master() {
        int port = sentinels.stream()
                .flatMap(each -> named(each).stream())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no sentinel answers"));
        return servers.stream().filter(each -> each.port() == port).findFirst().orElseThrow();
    }

    /** The servers that are not the master, down or not. */
    public List<RedisServer> replicas() {
        RedisServer master = master();
        return servers.stream()
                .filter(each -> each != master)
                .<RedisServer>map(each -> each)
                .toList();
    }

    /** The sentinels, down or not. */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** Kills the master, waits until the sentinels have made another, and returns that. */
    public RedisServer failOver() {
        RedisServer old = master();
        old.kill();
        return awaitFailOver(old);
    }

    /** Waits until all sentinels that answer name another master than this one, and it is one. */
    public RedisServer awaitFailOver(RedisServer old) {
        Awaiting.until("the sentinels name another master", () -> {
            List<Integer> named = sentinels.stream()
                    .flatMap(each -> named(each).stream())
                    .distinct()
                    .toList();
            return named.size() == 1
                    && named.get(0) != old.port()
                    && "master".equals(replication(master()).get("role"));
        });
        return master();
    }

    /**
     * Waits until all are up and know each other, and both replicas follow the master. A killed master that comes back is
     * left alone by the sentinels for some ten seconds.
     */
    public void awaitWhole() {
        Awaiting.until(
                "the sentinels and their servers are whole",
                () -> sentinels.stream().allMatch(this::knowsAll) && follow(master()));
    }

    @Override
    public void close() {
        sentinels.forEach(EmbeddedServer::close);
        servers.forEach(EmbeddedServer::close);
    }

    private boolean follow(RedisServer master) {
        return servers.stream().filter(each -> each != master).allMatch(each -> {
            Map<String, String> replication = replication(each);
            return "up".equals(replication.get("master_link_status"))
                    && Integer.toString(master.port()).equals(replication.get("master_port"));
        });
    }

    private boolean knowsAll(RedisServer sentinel) {
        Optional<Map<String, String>> known =
                Question.tryAsk(sentinel, Command.SENTINEL, "master", NAME).map(Question::pairs);
        return known.isPresent()
                && "2".equals(known.get().get("num-slaves"))
                && "2".equals(known.get().get("num-other-sentinels"))
                && "master".equals(known.get().get("flags"))
                && allAreUp(sentinel, "replicas", "slave")
                && allAreUp(sentinel, "sentinels", "sentinel")
                && named(sentinel).equals(Optional.of(master().port()));
    }

    private static boolean allAreUp(RedisServer sentinel, String whom, String flags) {
        return Question.tryAsk(sentinel, Command.SENTINEL, whom, NAME).stream()
                .flatMap(answer -> ((List<?>) answer).stream())
                .allMatch(each -> flags.equals(Question.pairs(each).get("flags")));
    }

    /** The port of the master that this sentinel names. */
    private static Optional<Integer> named(RedisServer sentinel) {
        return Question.tryAsk(sentinel, Command.SENTINEL, "get-master-addr-by-name", NAME)
                .map(answer -> Integer.valueOf((String) ((List<?>) answer).get(1)));
    }

    private static Map<String, String> replication(RedisServer server) {
        return Question.facts(server, Command.INFO, "replication");
    }
}
