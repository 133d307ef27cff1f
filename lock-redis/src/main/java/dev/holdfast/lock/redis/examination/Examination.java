package dev.holdfast.lock.redis.examination;

import dev.holdfast.lock.redis.connection.Borrowed;
import dev.holdfast.lock.redis.connection.RedisUri.Topology;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
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

/** Asks for what of the servers weakens a promise. What several of them have in common is said once. */
public final class Examination {

    private final Subject subject;
    private final Deadline deadline;
    private final Map<Finding, List<String>> findings = new LinkedHashMap<>();

    private Examination(Subject subject, Deadline deadline) {
        this.subject = subject;
        this.deadline = deadline;
    }

    /**
     * What was found.
     *
     * @throws JedisException if one of the servers does not answer
     */
    public static List<Finding> of(Subject subject, Deadline deadline) {
        Examination examination = new Examination(subject, deadline);
        examination.ask();
        return examination.findings();
    }

    /** What is asked of one server. */
    private record Answers(
            Optional<ServerInfo> info, Optional<String> appends, Optional<String> backlog, Refusals refusals) {}

    private void ask() {
        Map<String, Answers> answers = subject.servers()
                .each(
                        connection -> new Answers(
                                Probe.info(connection),
                                setting("appendfsync", connection),
                                setting("repl-backlog-ttl", connection),
                                Probe.of(connection, subject)),
                        deadline);
        answers.forEach((address, each) -> {
            each.info().ifPresentOrElse(info -> server(address, info, each), () -> silent(address));
            rights(address, each.refusals());
        });
        signals();
    }

    /** A value of its configuration; empty if this user may not ask, or the server tells nobody. */
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

    private void server(String address, ServerInfo info, Answers answers) {
        add(address, Finding.fine("server", info.product()));
        memory(address, info);
        if (subject.isPrimary()) {
            add(
                    address,
                    Finding.fine(
                            "failover",
                            "what a failover or a restart makes this server forget was granted to nobody else: it is"
                                    + " deposed first, and who holds a lock keeps it"));
            lineage(address, info, answers.backlog());
        } else {
            durability(address, info, answers.appends());
            replication(address, info);
        }
    }

    private void silent(String address) {
        add(
                address,
                Finding.error(
                        "rights",
                        "the user " + subject.user() + " may not ask the server about itself",
                        "ACL SETUSER " + subject.user() + " +info"));
    }

    private void memory(String address, ServerInfo info) {
        add(
                address,
                info.keepsAll()
                        ? Finding.fine("memory", "a server whose memory is full refuses locks, and drops none")
                        : Finding.warning(
                                "memory",
                                "maxmemory-policy is " + info.policy()
                                        + ": when its memory is full, the server may drop a"
                                        + " lock that is held, and two hold it then",
                                "set maxmemory-policy to " + ServerInfo.KEEPS_ALL));
    }

    private void durability(String address, ServerInfo info, Optional<String> appends) {
        if (!info.appends()) {
            add(
                    address,
                    Finding.warning(
                            "durability",
                            "appendonly is off: a server that is started anew has forgotten the locks, and two hold the"
                                    + " same lock then",
                            "set appendonly to yes, and appendfsync to always"));
        } else if (appends.isEmpty()) {
            add(
                    address,
                    Finding.note(
                            "durability",
                            "when the server's changes are on its disk cannot be told: its configuration is not shown",
                            "see that appendfsync is always: otherwise a crash of its machine may forget the last second"));
        } else if (!appends.get().equals("always")) {
            add(
                    address,
                    Finding.warning(
                            "durability",
                            "appendfsync is " + appends.get()
                                    + ": a crash of the server's machine may forget the locks of"
                                    + " the last second, or more, and two hold the same lock then",
                            "set appendfsync to always"));
        } else {
            add(address, Finding.fine("durability", "a lock is on the server's disk before it is granted"));
        }
    }

    /** It is the same to us whether its data may have become others or not. */
    private void lineage(String address, ServerInfo info, Optional<String> backlog) {
        if (!info.hasBacklog()) {
            add(
                    address,
                    Finding.note(
                            "lineage",
                            "when the first replica attaches to this server, it takes another master_replid, and is deposed"
                                    + " for that: for a minute or more the database grants",
                            "if it is to have a replica, attach that while a slower lock does no harm"));
        } else if (backlog.isPresent() && !backlog.get().equals("0")) {
            add(
                    address,
                    Finding.note(
                            "lineage",
                            "repl-backlog-ttl is " + backlog.get()
                                    + ": without a replica for so many seconds this server takes"
                                    + " another master_replid, and is deposed for that: for a minute or more the database"
                                    + " grants",
                            "set repl-backlog-ttl to 0"));
        }
    }

    private void replication(String address, ServerInfo info) {
        if (info.replicas() == 0 && subject.topology() == Topology.STANDALONE) {
            add(address, Finding.fine("replication", "no replica is attached to this server now"));
            return;
        }
        add(
                address,
                Finding.warning(
                        "replication",
                        "a failover forgets what the replica had not heard of, and two may hold the same lock then; the"
                                + " first is told at its next renewal, and the second has the greater fencing token",
                        "refuse lesser tokens at what the lock protects, or let a database say who grants, so that no"
                                + " failover has two hold a lock: lock.provider=composite, with a PostgreSQL"));
    }

    private void rights(String address, Refusals refusals) {
        add(
                address,
                refusals.isEmpty()
                        ? Finding.fine("rights", "the user " + subject.user() + " may do all that locks need")
                        : Finding.error(
                                "rights",
                                "the user " + subject.user() + " may not use " + refusals.what(),
                                refusals.remedy(subject.user())));
    }

    /** On a connection of its own: one that has listened is of no use to anybody else. */
    private void signals() {
        try (Borrowed borrowed = subject.servers().subscriber(deadline)) {
            Connection connection = borrowed.connection();
            connection.setSoTimeout(Math.max(1, deadline.millisLeft()));
            connection.sendCommand(new CommandArguments(Command.SUBSCRIBE)
                    .add(subject.keyspace().channels() + "probe"));
            connection.getOne();
        } catch (JedisAccessControlException e) {
            add(
                    "",
                    Finding.warning(
                            "signals",
                            "the user " + subject.user() + " may not listen (" + e.getMessage()
                                    + "): who waits asks again every few seconds, and gets a lock that much later",
                            "ACL SETUSER " + subject.user()
                                    + " +subscribe, and &holdfast:* unless it has all channels"));
        }
    }

    private void add(String address, Finding finding) {
        findings.computeIfAbsent(finding, any -> new ArrayList<>()).add(address);
    }

    private List<Finding> findings() {
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
