package dev.holdfast.lock.redis.testserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * A master, two replicas and three sentinels, as processes of this machine. A failover comes when a test orders it: by themselves the
 * sentinels miss a master only after a minute, so that a machine that stands still for a while makes none.
 */
public final class Sentinels implements AutoCloseable {

    private static final String NAME = "main";
    private static final String FAILOVER_TIMEOUT = "failover-timeout";
    private static final String FAILOVER_TIMEOUT_MILLIS = "3000";

    private final List<EmbeddedServer> servers = new ArrayList<>();
    private final List<EmbeddedServer> sentinels = new ArrayList<>();

    private Sentinels(String... directives) {
        Directives common = Directives.standalone()
                .and("repl-ping-replica-period 1", "min-replicas-max-lag 2")
                .and(directives);
        EmbeddedServer master = new EmbeddedServer(common);
        servers.add(master);
        for (int i = 0; i < 2; i++) {
            servers.add(new EmbeddedServer(common.and("replicaof 127.0.0.1 " + master.port())));
        }
        // A sentinel asks a master for its replicas once at the start, and then every ten seconds.
        Awaiting.untilAll("the replicas follow", () -> follow(master));
        Directives watching = new Directives(List.of(
                "protected-mode no",
                "sentinel monitor " + NAME + " 127.0.0.1 " + master.port() + " 2",
                "sentinel down-after-milliseconds " + NAME + " 60000",
                "sentinel " + FAILOVER_TIMEOUT + " " + NAME + " " + FAILOVER_TIMEOUT_MILLIS));
        for (int i = 0; i < 3; i++) {
            sentinels.add(EmbeddedServer.sentinel(watching));
        }
    }

    /** Those of all tests of this JVM that do them no harm; they end with the JVM. */
    public static Sentinels shared() {
        EmbeddedServer.require();
        return Shared.SENTINELS;
    }

    /**
     * Starts them all and waits until they are whole.
     *
     * @param directives more lines for the configuration of master and replicas
     * @throws org.opentest4j.TestAbortedException unless servers are {@code embedded}
     */
    public static Sentinels start(String... directives) {
        EmbeddedServer.require();
        Sentinels sentinels = new Sentinels(directives);
        sentinels.awaitWhole();
        return sentinels;
    }

    /** The URI of the sentinels. */
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

    /** Kills the master, has the sentinels make another, and returns that. */
    public RedisServer failOver() {
        RedisServer old = master();
        old.kill();
        return failOver(old);
    }

    /** Until the next failover the sentinels leave replicas alone that follow another server: else they bring them back soon. */
    public void tolerateStrayReplicas() {
        set(FAILOVER_TIMEOUT, "180000");
    }

    private void set(String option, String value) {
        sentinels.forEach(each -> ServerQuery.ask(each, Command.SENTINEL, "SET", NAME, option, value));
    }

    /** Has the sentinels make another master than this one, which is dead or frozen, and returns it when all of them name it. */
    public RedisServer failOver(RedisServer old) {
        set(FAILOVER_TIMEOUT, FAILOVER_TIMEOUT_MILLIS);
        Awaiting.untilAll("the sentinels name another master", () -> {
            sentinels.forEach(Sentinels::wake);
            sentinels.stream()
                    .filter(each -> named(each).equals(Optional.of(old.port())))
                    .findFirst()
                    .ifPresent(Sentinels::order); // again, if it came to nothing
            List<Integer> named =
                    sentinels.stream().flatMap(each -> named(each).stream()).toList();
            return named.size() == sentinels.size()
                    && named.stream().distinct().count() == 1
                    && named.get(0) != old.port()
                    && "master".equals(replication(master()).get("role"));
        });
        return master();
    }

    /** One that has stood still does no failover for half a minute, unless it begins anew. */
    private static void wake(EmbeddedServer sentinel) {
        if ("1".equals(ServerQuery.facts(sentinel, Command.INFO, "sentinel").get("sentinel_tilt"))) {
            sentinel.kill();
            sentinel.start();
        }
    }

    private static void order(RedisServer sentinel) {
        try {
            ServerQuery.ask(sentinel, Command.SENTINEL, "FAILOVER", NAME);
        } catch (JedisDataException e) {
            if (!e.getMessage().startsWith("INPROG") && !e.getMessage().startsWith("NOGOODSLAVE")) {
                throw e;
            }
        }
    }

    /**
     * Waits until all are up and know each other, and both replicas follow the master. A killed master that comes back is
     * left alone by the sentinels for some ten seconds.
     */
    public void awaitWhole() {
        Awaiting.untilAll(
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
                ServerQuery.tryAsk(sentinel, Command.SENTINEL, "master", NAME).map(ServerQuery::pairs);
        return known.isPresent()
                && "2".equals(known.get().get("num-slaves"))
                && "2".equals(known.get().get("num-other-sentinels"))
                && "master".equals(known.get().get("flags"))
                && allAreUp(sentinel, "replicas", "slave")
                && allAreUp(sentinel, "sentinels", "sentinel")
                && named(sentinel).equals(Optional.of(master().port()));
    }

    private static boolean allAreUp(RedisServer sentinel, String kind, String flags) {
        return ServerQuery.tryAsk(sentinel, Command.SENTINEL, kind, NAME).stream()
                .flatMap(answer -> ((List<?>) answer).stream())
                .allMatch(each -> flags.equals(ServerQuery.pairs(each).get("flags")));
    }

    /** The port of the master that this sentinel names. */
    private static Optional<Integer> named(RedisServer sentinel) {
        return ServerQuery.tryAsk(sentinel, Command.SENTINEL, "get-master-addr-by-name", NAME)
                .map(answer -> Integer.valueOf((String) ((List<?>) answer).get(1)));
    }

    private static Map<String, String> replication(RedisServer server) {
        return ServerQuery.facts(server, Command.INFO, "replication");
    }

    /** Created on first use. */
    private static final class Shared {
        private static final Sentinels SENTINELS = start();

        private Shared() {}
    }
}
