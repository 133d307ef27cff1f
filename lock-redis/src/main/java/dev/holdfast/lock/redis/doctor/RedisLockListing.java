package dev.holdfast.lock.redis.doctor;

import dev.holdfast.lock.redis.client.RedisServers;
import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.redis.script.ScriptReplies;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockInfo.Holder;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/** Lists locks: first their names, by SCAN, then the holder and the waiters of each, page by page. */
public final class RedisLockListing {

    /** Locks in one pipeline. */
    private static final int PAGE = 100;

    /** Keys in one SCAN: few enough to hardly delay other clients. */
    private static final int SCAN_PAGE = 1_000;

    private static final String START = "0";

    private static final int FIRST_WAITER = 3;
    private static final int FIELDS = 5;
    private static final String HELD = "h";

    private static final int HALF = 16;
    private static final int HEXADECIMAL = 16;

    private final RedisServers servers;
    private final KeyLayout keys;

    public RedisLockListing(RedisServers servers, KeyLayout keys) {
        this.servers = servers;
        this.keys = keys;
    }

    /**
     * The names with this prefix, sorted, by pages.
     *
     * @param deadline for a connection to each server; each page of a SCAN may take as long as was left then
     * @throws JedisException if a server does not answer
     */
    public List<List<LockName>> names(String prefix, Deadline deadline) {
        NavigableSet<LockName> found = new TreeSet<>();
        servers.askEach(connection -> scan(connection, prefix, found), deadline);
        List<LockName> names = List.copyOf(found);
        List<List<LockName>> pages = new ArrayList<>();
        for (int from = 0; from < names.size(); from += PAGE) {
            pages.add(names.subList(from, Math.min(from + PAGE, names.size())));
        }
        return pages;
    }

    private boolean scan(Connection connection, String prefix, NavigableSet<LockName> found) {
        String cursor = START;
        do {
            List<?> page = (List<?>) connection.executeCommand(new CommandArguments(Command.SCAN)
                    .add(cursor)
                    .add("MATCH")
                    .add(keys.pattern())
                    .add("COUNT")
                    .add(SCAN_PAGE));
            cursor = text(page.get(0));
            for (Object key : (List<?>) page.get(1)) {
                keys.lockOf(text(key))
                        .filter(name -> name.value().startsWith(prefix))
                        .ifPresent(found::add);
            }
        } while (!cursor.equals(START));
        return true;
    }

    /**
     * The state of these locks; those that are free and have no waiters are left out.
     *
     * @throws StaleTermException if the keys are those of a primary term that is not active
     * @throws JedisException if a server does not answer
     */
    public List<LockInfo> locks(List<LockName> names, Deadline deadline) {
        List<Object> replies = servers.call(
                names.stream().map(name -> ScriptCall.list(keys, name)).toList(), deadline);
        List<LockInfo> locks = new ArrayList<>();
        for (int at = 0; at < names.size(); at++) {
            if (keys.primaryTerm().isPresent()) {
                ScriptReplies.requireTerm(replies.get(at));
            }
            if (replies.get(at) instanceof JedisException failure) {
                throw failure;
            }
            lock(names.get(at), (List<?>) replies.get(at)).ifPresent(locks::add);
        }
        return locks;
    }

    private static Optional<LockInfo> lock(LockName name, List<?> reply) {
        String lock = text(reply.get(0));
        Instant until = micros(text(reply.get(2))).plusMillis((Long) reply.get(1));
        List<String> waiters =
                reply.stream().skip(FIRST_WAITER).map(RedisLockListing::text).toList();
        if (lock.isEmpty()) {
            return waiters.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new LockInfo(name, Optional.empty(), Optional.empty(), waiters));
        }
        String[] fields = lock.split(" ", FIELDS);
        if (!fields[0].equals(HELD)) {
            return Optional.of(new LockInfo(name, Optional.empty(), Optional.of(until), waiters));
        }
        Holder holder = new Holder(id(fields[1]), fields[4], Long.parseLong(fields[2]), micros(fields[3]), until);
        return Optional.of(new LockInfo(name, Optional.of(holder), Optional.empty(), waiters));
    }

    private static AcquisitionId id(String digits) {
        return new AcquisitionId(
                Long.parseUnsignedLong(digits, 0, HALF, HEXADECIMAL),
                Long.parseUnsignedLong(digits, HALF, digits.length(), HEXADECIMAL));
    }

    private static Instant micros(String number) {
        return Instant.EPOCH.plus(Long.parseLong(number), ChronoUnit.MICROS);
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.UTF_8);
    }
}
