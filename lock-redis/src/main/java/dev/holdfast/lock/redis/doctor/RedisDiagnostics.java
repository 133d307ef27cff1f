package dev.holdfast.lock.redis.doctor;

import dev.holdfast.lock.redis.client.BorrowedConnection;
import dev.holdfast.lock.redis.client.RedisUri.Topology;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.KeyValue;

/**
 * Finds properties of the servers that weaken a promise. A finding that several servers share is reported once, with all
 * addresses.
 */
public final class RedisDiagnostics {

    private final RedisTarget target;
    private final Deadline deadline;
    private final Map<Finding, List<String>> findings = new LinkedHashMap<>();

    private RedisDiagnostics(RedisTarget target, Deadline deadline) {
        this.target = target;
        this.deadline = deadline;
    }

    /**
     * The findings.
     *
     * @throws JedisException if one of the servers does not answer
     */
    public static List<Finding> of(RedisTarget target, Deadline deadline) {
        RedisDiagnostics diagnostics = new RedisDiagnostics(target, deadline);
        diagnostics.diagnose();
        return diagnostics.withAddresses();
    }

    /** The answers of one server. */
    private record Answers(
            Optional<ServerInfo> info,
            Optional<String> appendfsync,
            Optional<String> backlogTtl,
            Optional<MissingPermission> missing,
            Optional<MissingPermission> missingForListing,
            Optional<ReplicaClocks.Master> clocks) {}

    private void diagnose() {
        target.servers()
                .askEach(
                        connection -> new Answers(
                                PermissionProbe.info(connection),
                                setting("appendfsync", connection),
                                setting("repl-backlog-ttl", connection),
                                PermissionProbe.firstMissing(connection, target),
                                PermissionProbe.missingForListing(connection),
                                clocks(connection)),
                        deadline)
                .forEach((address, answers) -> {
                    answers.info()
                            .ifPresentOrElse(
                                    info -> addServer(address, info, answers),
                                    () -> addMissing(address, MissingPermission.command("info")));
                    answers.missing()
                            .ifPresentOrElse(
                                    missing -> addMissing(address, missing),
                                    () -> add(
                                            address,
                                            Finding.ok(
                                                    "rights",
                                                    "the user " + target.user() + " has all rights that locks need")));
                    answers.missingForListing()
                            .ifPresent(missing -> add(
                                    address,
                                    Finding.note(
                                            "rights",
                                            missing.found(target.user()) + ": locks cannot be listed, as by lock list",
                                            missing.remedy(target.user()))));
                });
        addNotifications();
    }

    /** Irrelevant to a composite, whose tokens and leases follow the database. Empty if this user may not ask. */
    private Optional<ReplicaClocks.Master> clocks(Connection connection) {
        try {
            return target.isPrimary() ? Optional.empty() : Optional.of(ReplicaClocks.askMaster(connection));
        } catch (JedisDataException e) { // the missing right is another finding
            return Optional.empty();
        }
    }

    /** A value of the configuration; empty if this user has no right to it, or the server shows it to no user. */
    private static Optional<String> setting(String name, Connection connection) {
        connection.sendCommand(new CommandArguments(Command.CONFIG).add("GET").add(name));
        try {
            List<?> answer = (List<?>) connection.getOne();
            if (answer.isEmpty()) {
                return Optional.empty();
            }
            Object value = answer.get(0) instanceof KeyValue<?, ?> pair ? pair.getValue() : answer.get(1);
            return Optional.of(new String((byte[]) value, StandardCharsets.UTF_8));
        } catch (JedisDataException e) {
            return Optional.empty();
        }
    }

    private void addMissing(String address, MissingPermission missing) {
        add(address, Finding.error("rights", missing.found(target.user()), missing.remedy(target.user())));
    }

    private void addServer(String address, ServerInfo info, Answers answers) {
        addProduct(address, info);
        addMemory(address, info);
        if (target.isPrimary()) {
            add(
                    address,
                    Finding.ok(
                            "failover",
                            "a lock that a failover or a restart makes this server forget is granted to no other holder: the"
                                    + " primary term ends first, and a holder keeps its lock"));
            addReplicationId(address, info, answers.backlogTtl());
        } else {
            addDurability(address, info, answers.appendfsync());
            addReplication(address, info);
            answers.clocks()
                    .ifPresent(master ->
                            ReplicaClocks.compare(master, target.servers()).forEach(finding -> add(address, finding)));
        }
    }

    private void addProduct(String address, ServerInfo info) {
        add(
                address,
                info.isRedisOrValkey()
                        ? Finding.ok("server", info.product())
                        : Finding.note(
                                "server",
                                info.product() + " is neither Redis nor Valkey, and was not tested",
                                "run the conformance kit on it, with failovers, before locks depend on it"));
    }

    private void addMemory(String address, ServerInfo info) {
        if (info.mayEvict()) {
            add(
                    address,
                    Finding.warning(
                            "memory",
                            "maxmemory-policy is " + info.policy()
                                    + ": when its memory is full, the server may drop a"
                                    + " lock that is held, so that two clients hold it",
                            "set maxmemory-policy to " + ServerInfo.KEEPS_ALL));
        } else if (info.keepsAll()) {
            add(address, Finding.ok("memory", "a server whose memory is full refuses locks, and drops none"));
        } else {
            add(
                    address,
                    Finding.note(
                            "memory",
                            "the server does not say its maxmemory-policy, and so not whether it drops locks that are held when"
                                    + " its memory is full",
                            "make sure that it is " + ServerInfo.KEEPS_ALL));
        }
    }

    private void addDurability(String address, ServerInfo info, Optional<String> appendfsync) {
        if (!info.appends()) {
            add(
                    address,
                    Finding.warning(
                            "durability",
                            "appendonly is off: a restarted server has forgotten the locks, so that two clients hold the same lock",
                            "set appendonly to yes, and appendfsync to always"
                                    + (appendfsync.isEmpty()
                                            ? "; where a managed service does not offer that, refuse smaller tokens at the resource,"
                                                    + " or use lock.provider=composite"
                                            : "")));
        } else if (appendfsync.isEmpty()) {
            add(
                    address,
                    Finding.note(
                            "durability",
                            "the server does not show its configuration, and so not when its changes are on disk",
                            "make sure that appendfsync is always: otherwise a crash of the machine may lose the last second"));
        } else if (!appendfsync.get().equals("always")) {
            add(
                    address,
                    Finding.warning(
                            "durability",
                            "appendfsync is " + appendfsync.get()
                                    + ": a crash of the server's machine may lose the locks of"
                                    + " the last second, or more, so that two clients hold the same lock",
                            "set appendfsync to always"));
        } else {
            add(address, Finding.ok("durability", "a lock is on the server's disk before it is granted"));
        }
    }

    /** A change of the replication id ends the primary term, whether data were lost or not. */
    private void addReplicationId(String address, ServerInfo info, Optional<String> backlogTtl) {
        if (!info.hasBacklog()) {
            add(
                    address,
                    Finding.note(
                            "replication-id",
                            "when the first replica attaches to this server, its master_replid changes, which ends the"
                                    + " primary term: the database grants for a minute or more",
                            "if the server is to have a replica, attach it while slower locks do no harm"));
        } else if (backlogTtl.isPresent() && !backlogTtl.get().equals("0")) {
            add(
                    address,
                    Finding.note(
                            "replication-id",
                            "repl-backlog-ttl is " + backlogTtl.get()
                                    + ": after so many seconds without a replica the server's master_replid changes, which"
                                    + " ends the primary term: the database grants for a minute or more",
                            "set repl-backlog-ttl to 0"));
        }
    }

    private void addReplication(String address, ServerInfo info) {
        if (info.replicas() == 0 && target.topology() == Topology.STANDALONE) {
            add(address, Finding.ok("replication", "no replica is attached to this server now"));
            return;
        }
        add(
                address,
                Finding.warning(
                        "replication",
                        "a failover forgets what the replica had not received, so that two clients may hold the same lock; the first"
                                + " learns of it at its next renewal, and the second has the greater fencing token, if the clock"
                                + " of the former master was not ahead by more than the failover took",
                        "refuse smaller tokens at the resource that the lock protects, or use lock.provider=composite with a"
                                + " PostgreSQL, with which no failover lets two hold a lock"));
    }

    /** Tries to subscribe on a dedicated connection, which has no other use afterwards. */
    private void addNotifications() {
        try (BorrowedConnection borrowed = target.servers().openSubscriber(deadline)) {
            Connection connection = borrowed.connection();
            connection.setSoTimeout(Math.max(1, deadline.millisLeft()));
            connection.sendCommand(
                    new CommandArguments(Command.SUBSCRIBE).add(target.keys().channels() + "probe"));
            connection.getOne();
        } catch (JedisAccessControlException e) {
            addLateNotifications(
                    "the user " + target.user() + " may not subscribe (" + e.getMessage() + ")",
                    "ACL SETUSER " + target.user() + " +subscribe, and &holdfast:* unless it has all channels");
        } catch (JedisDataException e) {
            if (!PermissionProbe.isUnknownCommand(e)) {
                throw e;
            }
            MissingPermission missing = MissingPermission.unknownCommand("subscribe");
            addLateNotifications(missing.found(target.user()), missing.remedy(target.user()));
        }
    }

    private void addLateNotifications(String cause, String advice) {
        add(
                "",
                Finding.warning(
                        "notifications",
                        cause + ": a waiter asks again every few seconds, and gets a lock that much later",
                        advice));
    }

    private void add(String address, Finding finding) {
        findings.computeIfAbsent(finding, any -> new ArrayList<>()).add(address);
    }

    private List<Finding> withAddresses() {
        List<Finding> named = new ArrayList<>();
        findings.forEach((finding, addresses) -> {
            String where = String.join(", ", addresses);
            named.add(new Finding(
                    finding.severity(),
                    finding.subject(),
                    where.isEmpty() ? finding.found() : where + ": " + finding.found(),
                    finding.advice()));
        });
        return named;
    }
}
