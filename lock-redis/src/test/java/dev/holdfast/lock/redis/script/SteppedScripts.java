package dev.holdfast.lock.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import dev.holdfast.lock.testing.ListedLock;
import dev.holdfast.lock.testing.RandomHistory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The scripts on a server, in virtual time: both the clock that they read and the expiry of keys stand still unless the test moves
 * them. The locks are those of one namespace.
 */
final class SteppedScripts implements RandomHistory.Subject {

    private static final String CHANNEL = "channel";
    private static final String PUBLISHED = "virtual-published";
    private static final String PRELUDE = read("virtual_time.lua");

    private final RedisClient server;
    private final KeyLayout keys;
    private final CommandScripts scripts;
    private final UnaryOperator<String> change;
    private Instant now = Instant.EPOCH;

    /**
     * @param isUnderTerm whether the commands are those of a composite's primary term, which is made active
     * @param change made to the text of each script
     */
    SteppedScripts(RedisClient server, boolean isUnderTerm, UnaryOperator<String> change) {
        this.server = server;
        this.change = change;
        server.flushDB();
        KeyLayout standalone = new KeyLayout(new Namespace("test"), 1);
        keys = isUnderTerm ? standalone.under(new PrimaryTerm(7, VirtualScripts.replicationId(server))) : standalone;
        scripts = new CommandScripts(
                keys, CHANNEL, failure -> new LockUnavailableException(failure.getMessage(), failure), 0);
        if (isUnderTerm) {
            server.set(new String(keys.term(), UTF_8), "7 1000 1000");
        }
    }

    private static String read(String file) {
        try (InputStream in = SteppedScripts.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void setClock(long millis) {
        now = Instant.ofEpochMilli(millis);
        server.set("virtual-us", millis + "000");
    }

    @Override
    public void pass(Duration time) {
        setClock(now.plus(time).toEpochMilli());
    }

    @Override
    public Instant now() {
        return now;
    }

    /** Executes these commands as one call of a store would. */
    @Override
    public List<LockReply> execute(List<LockCommand> commands) {
        CommandScripts.Exchange exchange = scripts.begin(commands);
        while (!exchange.receive(exchange.calls().stream().map(this::eval).toList())) {}
        return exchange.replies();
    }

    private Object eval(ScriptCall call) {
        try {
            return server.eval(
                    (PRELUDE + change.apply(call.script().text())).getBytes(UTF_8), call.keys(), call.arguments());
        } catch (JedisDataException e) {
            return e;
        }
    }

    @Override
    public Optional<Set<Notification>> notified() {
        Set<Notification> notified = new HashSet<>();
        for (String each : server.lrange(PUBLISHED, 0, -1)) {
            String[] words = each.split(" ", 3);
            notified.add(Notification.of(new LockName(words[2]), id(words[1])));
        }
        server.del(PUBLISHED);
        return Optional.of(notified);
    }

    private static AcquisitionId id(String digits) {
        return new AcquisitionId(
                Long.parseUnsignedLong(digits, 0, 16, 16), Long.parseUnsignedLong(digits, 16, digits.length(), 16));
    }

    /** By list.lua. */
    @Override
    public Optional<ListedLock> listed(LockName name) {
        List<String> shown = shown(name);
        int firstWaiter = 4 + 3 * Integer.parseInt(shown.get(3));
        Set<String> holders = new HashSet<>();
        Optional<Instant> keptUntil = Optional.empty();
        for (int at = 4; at < firstWaiter; at += 3) {
            String[] words = shown.get(at + 2).split(" ", 6);
            Instant end = Instant.ofEpochMilli(Long.parseLong(shown.get(at + 1)));
            if (words[0].equals("h")) {
                Share share = new Share(Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                holders.add(ListedLock.holder(id(shown.get(at)), share, end));
            } else {
                keptUntil = Optional.of(end); // the shares are in the order of their ends
            }
        }
        String[] lock = shown.get(0).split(" ", 5);
        Instant until = now.plusMillis(Long.parseLong(shown.get(1)));
        if (lock[0].equals("h")) {
            holders.add(ListedLock.holder(id(lock[1]), Share.EXCLUSIVE, until));
        } else if (lock[0].equals("k")) {
            keptUntil = Optional.of(until);
        }
        List<AcquisitionId> waiters = new ArrayList<>();
        for (int at = firstWaiter; at < shown.size(); at += 2) {
            waiters.add(id(shown.get(at + 1)));
        }
        ListedLock listed = new ListedLock(holders, keptUntil, waiters);
        return listed.equals(ListedLock.NONE) ? Optional.empty() : Optional.of(listed);
    }

    /** What list.lua shows of a lock, in words: its state, shares and waiters. */
    List<String> shown(LockName name) {
        List<String> words = new ArrayList<>();
        for (Object word : (List<?>) eval(ScriptCall.list(keys, name))) {
            words.add(word instanceof byte[] text ? new String(text, UTF_8) : String.valueOf(word));
        }
        return words;
    }

    /** The keys of these kinds, as {@link #shown} left them. */
    Set<String> keys(String... kinds) {
        return Stream.of(kinds)
                .flatMap(kind -> server.keys("holdfast:*:" + kind + ":*").stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
