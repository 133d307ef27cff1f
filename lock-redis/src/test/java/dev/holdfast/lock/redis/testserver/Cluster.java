package dev.holdfast.lock.redis.testserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * A cluster of three masters and a replica for each, as processes of this machine. A failover comes when a test orders it: by itself a
 * node is missed only after a minute, so that a machine that stands still for a while makes none.
 */
public final class Cluster implements AutoCloseable {

    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;

    private static final long ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(6);

    private final List<EmbeddedServer> servers = new ArrayList<>();
    private final List<EmbeddedServer> gone = new ArrayList<>();

    private Cluster(String... directives) {
        Directives common = Directives.standalone()
                .and(
                        "cluster-enabled yes",
                        "cluster-node-timeout 60000",
                        "cluster-replica-validity-factor 0",
                        "cluster-allow-replica-migration no")
                .and(directives);
        for (int i = 0; i < 2 * MASTERS; i++) {
            servers.add(new EmbeddedServer(common));
        }
    }

    /** That of all tests of this JVM that do it no harm; it ends with the JVM. */
    public static Cluster shared() {
        EmbeddedServer.require();
        return Shared.CLUSTER;
    }

    /**
     * Starts it and waits until it serves all slots.
     *
     * @param directives more lines for the configuration of all nodes
     * @throws org.opentest4j.TestAbortedException unless servers are {@code embedded}
     */
    public static Cluster start(String... directives) {
        EmbeddedServer.require();
        Cluster cluster = new Cluster(directives);
        cluster.join();
        cluster.awaitOk();
        return cluster;
    }

    private void join() {
        for (int i = 0; i < servers.size(); i++) {
            ask(servers.get(i), "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            for (EmbeddedServer other : servers.subList(0, i)) {
                ask(servers.get(i), "MEET", "127.0.0.1", Integer.toString(other.port()));
            }
        }
        for (int i = 0; i < MASTERS; i++) {
            Stream<String> slots = IntStream.range(SLOTS * i / MASTERS, SLOTS * (i + 1) / MASTERS)
                    .mapToObj(Integer::toString);
            ask(servers.get(i), Stream.concat(Stream.of("ADDSLOTS"), slots).toArray(String[]::new));
        }
        Awaiting.untilAll("the nodes know each other", () -> servers.stream().allMatch(this::knowsAll));
        for (int i = 0; i < MASTERS; i++) {
            ask(servers.get(MASTERS + i), "REPLICATE", id(servers.get(i)));
        }
    }

    /** The URI, which names three of the nodes. */
    public String uri() {
        return "redis-cluster://"
                + servers.stream()
                        .limit(MASTERS)
                        .map(each -> "127.0.0.1:" + each.port())
                        .collect(Collectors.joining(","));
    }

    /** The nodes that serve slots, as the first node that runs sees it. */
    public List<RedisServer> masters() {
        return servers(member -> !member.slots().isEmpty());
    }

    /** The nodes that serve none, down or not, as the first node that runs sees it. */
    public List<RedisServer> replicas() {
        return servers(member -> member.slots().isEmpty());
    }

    /** The master that serves this slot, as the first node that runs sees it. */
    public RedisServer owner(int slot) {
        return servers(member -> member.serves(slot)).get(0);
    }

    /** Kills this master, and has its replica take over all its slots. */
    public void failOver(RedisServer master) {
        master.kill();
        takeOverFrom(master);
    }

    /** Has the replica of this master, which is dead or frozen, take over all its slots. */
    public void takeOverFrom(RedisServer master) {
        ask(replicaOf(master), "FAILOVER", "TAKEOVER");
        awaitOk();
    }

    private RedisServer replicaOf(RedisServer master) {
        String id = members().stream()
                .filter(member -> member.port() == master.port())
                .map(ClusterNode::id)
                .findFirst()
                .orElseThrow();
        return servers(member -> member.master().equals(id)).get(0);
    }

    private void orderFailover(RedisServer replica) {
        try {
            ask(replica, "FAILOVER");
        } catch (JedisDataException e) {
            if (!e.getMessage().contains("to a replica")) { // it has taken over meanwhile
                throw e;
            }
        }
    }

    /**
     * Lets the replica of this master take its place, with all keys, and the master leave: it runs on, belongs to no cluster, and
     * is forgotten by all others.
     *
     * @return the one that was the replica
     */
    public RedisServer leave(RedisServer master) {
        String id = id(master);
        RedisServer heir = replicaOf(master);
        AtomicLong asked = new AtomicLong(System.nanoTime() - ATTEMPT_NANOS);
        Awaiting.untilAll("the replica has taken over", () -> {
            if (!masters().contains(heir) && System.nanoTime() - asked.get() >= ATTEMPT_NANOS) {
                asked.set(System.nanoTime()); // after this time an attempt has come to nothing
                orderFailover(heir);
            }
            return masters().contains(heir) && !masters().contains(master);
        });
        awaitOk();
        servers.removeIf(each -> each == master);
        gone.add((EmbeddedServer) master);
        servers.forEach(each -> ask(each, "FORGET", id));
        ask(master, "RESET", "HARD");
        awaitOk();
        return heir;
    }

    /** Takes a node that left back, as a replica of this master. */
    public void rejoin(RedisServer left, RedisServer master) {
        EmbeddedServer node = (EmbeddedServer) left;
        servers.forEach(each -> ask(node, "MEET", "127.0.0.1", Integer.toString(each.port())));
        gone.remove(node);
        servers.add(node);
        Awaiting.untilAll("the nodes know each other", () -> servers.stream().allMatch(this::knowsAll));
        ask(node, "REPLICATE", id(master));
        awaitOk();
    }

    /** Gives a slot with all its keys to another master. */
    public void migrate(int slot, RedisServer from, RedisServer to) {
        Migration migration = beginMigration(slot, from, to);
        migration.moveKeys();
        migration.finish();
    }

    /** Begins to move a slot to another master, to which clients are redirected from now on for missing keys. */
    public Migration beginMigration(int slot, RedisServer from, RedisServer to) {
        return new Migration(this, slot, from, to);
    }

    /**
     * Waits until all nodes that run agree who serves which slot, these nodes run, and all others that run follow one of
     * them.
     */
    public void awaitOk() {
        Awaiting.untilAll("the cluster serves all slots", () -> {
            List<EmbeddedServer> running =
                    servers.stream().filter(EmbeddedServer::isRunning).toList();
            return running.stream().allMatch(each -> isOk(each, running))
                    && running.stream().map(Cluster::owners).distinct().count() == 1;
        });
    }

    private static boolean isOk(RedisServer server, List<EmbeddedServer> running) {
        Map<String, String> info = ServerQuery.facts(server, Command.CLUSTER, "INFO");
        Set<Integer> ports = running.stream().map(RedisServer::port).collect(Collectors.toSet());
        return "ok".equals(info.get("cluster_state"))
                && Integer.toString(SLOTS).equals(info.get("cluster_slots_ok"))
                && ClusterNode.seenBy(server).stream()
                        .allMatch(member -> ports.contains(member.port())
                                ? member.isReplica() != !member.slots().isEmpty()
                                : member.slots().isEmpty())
                && (!isReplica(server) || isLinked(server));
    }

    private static boolean isReplica(RedisServer server) {
        return ClusterNode.seenBy(server).stream().anyMatch(member -> member.isMyself() && member.isReplica());
    }

    private static boolean isLinked(RedisServer replica) {
        return "up"
                .equals(ServerQuery.facts(replica, Command.INFO, "replication").get("master_link_status"));
    }

    private static Map<Integer, List<String>> owners(RedisServer server) {
        return ClusterNode.seenBy(server).stream()
                .filter(member -> !member.slots().isEmpty())
                .collect(Collectors.toMap(ClusterNode::port, ClusterNode::slots));
    }

    private boolean knowsAll(RedisServer server) {
        List<ClusterNode> members = ClusterNode.seenBy(server);
        return members.size() == servers.size() && members.stream().noneMatch(ClusterNode::isInDoubt);
    }

    private List<RedisServer> servers(Predicate<ClusterNode> which) {
        Set<Integer> ports =
                members().stream().filter(which).map(ClusterNode::port).collect(Collectors.toSet());
        return servers.stream()
                .filter(each -> ports.contains(each.port()))
                .<RedisServer>map(each -> each)
                .toList();
    }

    /** All nodes, as the first one that runs sees them. */
    private List<ClusterNode> members() {
        return servers.stream()
                .filter(EmbeddedServer::isRunning)
                .map(ClusterNode::seenBy)
                .filter(seen -> !seen.isEmpty())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node answers"));
    }

    static String id(RedisServer server) {
        return (String) ask(server, "MYID");
    }

    static Object ask(RedisServer server, String... arguments) {
        return ServerQuery.ask(server, Command.CLUSTER, arguments);
    }

    @Override
    public void close() {
        servers.forEach(EmbeddedServer::close);
        gone.forEach(RedisServer::close);
    }

    /** Created on first use. */
    private static final class Shared {
        private static final Cluster CLUSTER = start();

        private Shared() {}
    }
}
