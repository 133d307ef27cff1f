package dev.holdfast.lock.redis.doctor;

import dev.holdfast.lock.redis.client.RedisServers;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Compares the clock of a master with those of its replicas. After a failover tokens are counted from the clock of the promoted
 * replica, and leases end by it.
 */
final class ReplicaClocks {

    /** Synchronized clocks differ by milliseconds, and a failover takes longer than this. */
    static final Duration TOLERANCE = Duration.ofSeconds(1);

    private static final Duration PER_REPLICA = Duration.ofSeconds(1);
    private static final long MICROS = 1_000_000;

    /** A replica in INFO, as older and newer versions write it. */
    private static final Pattern REPLICA = Pattern.compile("slave\\d+:ip=([^,]*),port=(\\d{1,5}),.*");

    /**
     * How far a clock is ahead of {@link System#nanoTime}, in microseconds: between these bounds, as it was read at some instant
     * between request and reply.
     */
    record Reading(long least, long most) {

        static Reading of(long micros, long sentNanos, long receivedNanos) {
            return new Reading(micros - receivedNanos / 1_000, micros - sentNanos / 1_000);
        }

        /** The least by which this clock is ahead of the other one; negative if it is behind; zero if they may agree. */
        Duration aheadOf(Reading other) {
            long ahead = least - other.most > 0 ? least - other.most : Math.min(0, most - other.least);
            return Duration.ofNanos(ahead * 1_000);
        }
    }

    /** What a master reports: its clock, and the addresses of its replicas. */
    record Master(Reading clock, List<HostAndPort> replicas) {}

    private ReplicaClocks() {}

    static Master askMaster(Connection connection) {
        connection.sendCommand(new CommandArguments(Command.INFO).add("replication"));
        List<HostAndPort> replicas = replicas(text(connection.getOne()));
        return new Master(read(connection), replicas);
    }

    static List<HostAndPort> replicas(String info) {
        return info.lines()
                .map(line -> REPLICA.matcher(line.strip()))
                .filter(line -> line.matches())
                .map(line -> new HostAndPort(line.group(1), Integer.parseInt(line.group(2))))
                .toList();
    }

    private static Reading read(Connection connection) {
        long sent = System.nanoTime();
        connection.sendCommand(Command.TIME);
        List<?> time = (List<?>) connection.getOne();
        long micros = Long.parseLong(text(time.get(0))) * MICROS + Long.parseLong(text(time.get(1)));
        return Reading.of(micros, sent, System.nanoTime());
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }

    /** The findings on this master; none if it has no replicas. A replica that cannot be asked is a finding, not a failure. */
    static List<Finding> compare(Master master, RedisServers servers) {
        List<Finding> findings = new ArrayList<>();
        for (HostAndPort replica : master.replicas()) {
            try {
                Reading clock = servers.askReplica(replica, ReplicaClocks::read, Deadline.in(PER_REPLICA));
                Duration ahead = master.clock().aheadOf(clock);
                if (ahead.abs().compareTo(TOLERANCE) > 0) {
                    findings.add(differs(replica, ahead));
                }
            } catch (JedisException e) {
                findings.add(Finding.note(
                        "clocks",
                        "the clock of its replica " + replica + " was not checked: " + e.getMessage(),
                        "compare it with the command TIME: it has to agree with that of the master within "
                                + DurationText.format(TOLERANCE)));
            }
        }
        if (findings.isEmpty() && !master.replicas().isEmpty()) {
            findings.add(Finding.ok("clocks", "the clocks of its replicas agree with its own"));
        }
        return findings;
    }

    private static Finding differs(HostAndPort replica, Duration ahead) {
        String by = DurationText.format(Duration.ofMillis(ahead.abs().toMillis()));
        return Finding.warning(
                "clocks",
                ahead.isNegative()
                        ? "its clock is " + by + " behind that of its replica " + replica
                                + ": after a failover leases end that much too early, and two may hold the same lock"
                        : "its clock is " + by + " ahead of that of its replica " + replica
                                + ": after a failover that takes less, fencing tokens fall, and a resource refuses the new holder"
                                + " instead of the old one",
                "synchronize the clocks of all servers, for example by NTP");
    }
}
