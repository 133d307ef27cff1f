package dev.holdfast.lock.redis.doctor;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.client.RedisUri.Topology;
import dev.holdfast.lock.spi.support.Deadline;
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

/** The requirements that servers must meet for locks to work at all; verified once, before a store is handed out. */
public final class RedisRequirements {

    private static final Logger log = LoggerFactory.getLogger(RedisRequirements.class);

    private final RedisTarget target;
    private final String where;

    /** @param where the address of the servers, without secrets */
    public RedisRequirements(RedisTarget target, String where) {
        this.target = target;
        this.where = where;
    }

    /**
     * Verifies that the servers meet the requirements.
     *
     * @throws LockConfigurationException if they are too old, of the wrong kind, or refuse something that locks need
     * @throws LockUnavailableException if they cannot grant locks at the moment
     * @throws JedisException if one of them does not answer
     */
    public void verify(Deadline deadline) {
        Map<String, Optional<ServerInfo>> infos = target.servers().askEach(PermissionProbe::info, deadline);
        infos.forEach((address, info) -> info.ifPresent(known -> require(address, known)));
        if (infos.values().stream().anyMatch(Optional::isEmpty)) {
            throw missing(MissingPermission.command("info"));
        }
        target.servers()
                .askEach(connection -> PermissionProbe.firstMissing(connection, target), deadline)
                .values()
                .forEach(missing -> missing.ifPresent(permission -> {
                    throw missing(permission);
                }));
        if (!target.isPrimary()) {
            requireNoComposite(deadline);
            warnOfEviction(infos);
        }
    }

    private LockException missing(MissingPermission permission) {
        return wrong(permission.found(target.user()) + ", which locks need: " + permission.remedy(target.user()));
    }

    /** A composite's primary is never a Cluster. */
    private void requireNoComposite(Deadline deadline) {
        if (target.topology() == Topology.CLUSTER) {
            return;
        }
        byte[] term = target.keys().term();
        boolean isThere = target
                .servers()
                .askEach(
                        connection -> connection.executeCommand(new CommandArguments(Command.MGET).key(term)), deadline)
                .values()
                .stream()
                .anyMatch(values -> ((List<?>) values).get(0) != null);
        if (isThere) {
            throw wrong("a composite grants the locks of the namespace "
                    + target.keys().namespace().value()
                    + " there: use lock.provider=composite, or another lock.namespace. If that composite is no longer used,"
                    + " DEL " + new String(term, StandardCharsets.UTF_8)
                    + "; its fencing tokens may be greater than those to come");
        }
    }

    private void require(String address, ServerInfo info) {
        String server = address + " (" + info.product() + ")";
        if (!info.isNewEnough()) {
            throw wrong(server + " is too old: it has the commands of Redis " + info.version()
                    + ", and locks need those of " + ServerInfo.OLDEST);
        }
        if (info.mode().equals("sentinel")) {
            throw wrong(server + " is a sentinel: use redis-sentinel:// with the name of its master");
        }
        if (info.mode().equals("cluster") && target.topology() != Topology.CLUSTER) {
            throw wrong(server + " is a node of a Cluster: "
                    + (target.isPrimary()
                            ? "a composite needs a standalone server or Sentinel"
                            : "use redis-cluster://, or a RedisClusterClient"));
        }
        if (!info.role().equals("master")) {
            String replica = server + " is a replica, not a master";
            throw target.topology() == Topology.STANDALONE && !target.isPrimary()
                    ? wrong(replica + ": use the address of its master, or redis-sentinel://")
                    : new LockUnavailableException(message(replica + " at the moment"), null);
        }
    }

    private static void warnOfEviction(Map<String, Optional<ServerInfo>> infos) {
        String evicting = infos.entrySet().stream()
                .filter(each -> each.getValue().filter(ServerInfo::mayEvict).isPresent())
                .map(each ->
                        each.getKey() + ": " + each.getValue().orElseThrow().policy())
                .collect(Collectors.joining(", "));
        if (!evicting.isEmpty()) {
            log.warn(
                    "when its memory is full, the server may drop a lock that is held, so that two clients hold it: set"
                            + " maxmemory-policy to {} ({})",
                    ServerInfo.KEEPS_ALL,
                    evicting);
        }
    }

    private LockException wrong(String cause) {
        return new LockConfigurationException(message(cause));
    }

    private String message(String cause) {
        return "cannot open " + where + ": " + cause;
    }
}
