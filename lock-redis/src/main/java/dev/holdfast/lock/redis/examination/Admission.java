package dev.holdfast.lock.redis.examination;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.connection.RedisUri.Topology;
import dev.holdfast.lock.spi.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/** What servers must be and allow for locks to work at all: asked once, before a store is handed out. */
public final class Admission {

    private static final Logger log = LoggerFactory.getLogger(Admission.class);

    private final Subject subject;
    private final String where;

    /** @param where the servers' address, without secrets */
    public Admission(Subject subject, String where) {
        this.subject = subject;
        this.where = where;
    }

    /**
     * Returns if they will do.
     *
     * @throws LockConfigurationException if they are too old, of the wrong kind, or refuse something that locks need
     * @throws LockUnavailableException if they are in no state to grant locks
     * @throws JedisException if one of them does not answer
     */
    public void ask(Deadline deadline) {
        Map<String, Optional<ServerInfo>> infos = subject.servers().each(Probe::info, deadline);
        infos.forEach((address, info) -> info.ifPresent(known -> require(address, known)));
        Map<String, Refusals> refusals = subject.servers().each(connection -> Probe.of(connection, subject), deadline);
        boolean tellsNothing = infos.values().stream().anyMatch(Optional::isEmpty);
        Refusals all =
                refusals.values().stream().reduce(tellsNothing ? Refusals.of("info") : Refusals.NONE, Refusals::and);
        if (!all.isEmpty()) {
            throw wrong("the user " + subject.user() + " may not use " + all.what() + ", which locks need: "
                    + all.remedy(subject.user()));
        }
        if (!subject.isPrimary()) {
            requireNoComposite(deadline);
            warn(infos);
        }
    }

    /** In a Cluster there is none. */
    private void requireNoComposite(Deadline deadline) {
        if (subject.topology() == Topology.CLUSTER) {
            return;
        }
        byte[] mark = subject.keyspace().mark();
        boolean isThere = subject
                .servers()
                .each(connection -> connection.executeCommand(new CommandArguments(Command.MGET).key(mark)), deadline)
                .values()
                .stream()
                .anyMatch(values -> ((List<?>) values).get(0) != null);
        if (isThere) {
            throw wrong("a composite grants the locks of the namespace "
                    + subject.keyspace().namespace().value()
                    + " there: use lock.provider=composite, or another lock.namespace; if nobody uses that composite any"
                    + " more, whose fencing tokens may be greater than those to come: DEL "
                    + new String(mark, StandardCharsets.UTF_8));
        }
    }

    private void require(String address, ServerInfo info) {
        String server = address + " (" + info.product() + ")";
        if (!info.isNewEnough()) {
            throw wrong(server + " is too old: it has the commands of Redis " + info.version() + ", and those of "
                    + ServerInfo.OLDEST + " are needed");
        }
        if (info.mode().equals("sentinel")) {
            throw wrong(server + " is a sentinel: redis-sentinel:// is for these, with the name of their master");
        }
        if (info.mode().equals("cluster") && subject.topology() != Topology.CLUSTER) {
            throw wrong(server + " is a node of a Cluster: "
                    + (subject.isPrimary()
                            ? "a composite is not made of these yet, but of standalone or Sentinel"
                            : "redis-cluster:// is for these, or a RedisClusterClient"));
        }
        if (!info.role().equals("master")) {
            String replica = server + " is no master, but a replica";
            throw subject.topology() == Topology.STANDALONE && !subject.isPrimary()
                    ? wrong(replica + ": name its master, or by redis-sentinel:// those who know which is the master")
                    : new LockUnavailableException(message(replica + " by now"), null);
        }
    }

    private static void warn(Map<String, Optional<ServerInfo>> infos) {
        String where = infos.entrySet().stream()
                .filter(each -> each.getValue().filter(info -> !info.keepsAll()).isPresent())
                .map(each ->
                        each.getKey() + ": " + each.getValue().orElseThrow().policy())
                .collect(Collectors.joining(", "));
        if (!where.isEmpty()) {
            log.warn(
                    "when its memory is full, the server may drop a lock that is held, and two hold it then: set"
                            + " maxmemory-policy to {} ({})",
                    ServerInfo.KEEPS_ALL,
                    where);
        }
    }

    private LockException wrong(String why) {
        return new LockConfigurationException(message(why));
    }

    private String message(String why) {
        return "cannot open " + where + ": " + why;
    }
}
