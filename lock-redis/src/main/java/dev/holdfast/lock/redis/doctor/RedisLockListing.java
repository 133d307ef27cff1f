package dev.holdfast.lock.redis.doctor;

import dev.holdfast.lock.redis.client.RedisServers;
import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.redis.script.ScriptReplies;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockInfo.Holder;
import dev.holdfast.lock.spi.LockInfo.Waiter;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/** Lists locks: first their names, by SCAN, then the holders and the waiters of each, page by page. */
public final class RedisLockListing {

    /** Locks in one pipeline. */
    private static final int PAGE = 100;

    /** Keys in one SCAN: few enough to hardly delay other clients. */
    private static final int SCAN_PAGE = 1_000;

    private static final String START = "0";

    private static final int SHARES = 4;
    private static final int FIELDS_OF_SHARE = 6;
    private static final int WORDS_OF_SHARE = 3;
    private static final int WORDS_OF_WAITER = 2;
    private static final int FIELDS = 5;
    private static final String HELD = "h";
    private static final String KEPT = "k";

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

    /** Reads the reply of list.lua. */
    private static Optional<LockInfo> lock(LockName name, List<?> reply) {
        String lock = text(reply.get(0));
        Instant until = micros(text(reply.get(2))).plusMillis((Long) reply.get(1));
        int firstWaiter = SHARES + WORDS_OF_SHARE * Math.toIntExact((Long) reply.get(SHARES - 1));
        List<Holder> holders = new ArrayList<>();
        Optional<Instant> minimumHoldUntil = Optional.empty();
        for (int at = SHARES; at < firstWaiter; at += WORDS_OF_SHARE) {
            Instant end = micros(text(reply.get(at + 1)) + "000");
            String[] fields = text(reply.get(at + 2)).split(" ", FIELDS_OF_SHARE);
            if (fields[0].equals(HELD)) {
                Share share = new Share(Integer.parseInt(fields[2]), Integer.parseInt(fields[3]));
                holders.add(new Holder(
                        id(text(reply.get(at))), fields[5], Long.parseLong(fields[1]), micros(fields[4]), end, share));
            } else {
                minimumHoldUntil = Optional.of(end); // the shares are in the order of their ends
            }
        }
        holders.sort(Comparator.comparingLong(Holder::token));
        List<Waiter> waiters = new ArrayList<>();
        for (int at = firstWaiter; at < reply.size(); at += WORDS_OF_WAITER) {
            String[] share = text(reply.get(at)).split(" ", 2);
            waiters.add(new Waiter(
                    text(reply.get(at + 1)), new Share(Integer.parseInt(share[0]), Integer.parseInt(share[1]))));
        }
        String[] fields = lock.split(" ", FIELDS);
        if (fields[0].equals(HELD)) {
            holders.add(new Holder(id(fields[1]), fields[4], Long.parseLong(fields[2]), micros(fields[3]), until));
        } else if (fields[0].equals(KEPT)) {
            minimumHoldUntil = Optional.of(until);
        }
        return holders.isEmpty() && minimumHoldUntil.isEmpty() && waiters.isEmpty()
                ? Optional.empty()
                : Optional.of(new LockInfo(name, holders, minimumHoldUntil, waiters));
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
