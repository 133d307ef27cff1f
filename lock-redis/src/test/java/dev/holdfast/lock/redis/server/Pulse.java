package dev.holdfast.lock.redis.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Feels all the time whether this process, and servers that it is told of, go on: each of them on a connection of its own,
 * whatever the answer. {@link Commands} are without its questions.
 */
public final class Pulse implements AutoCloseable {

    /** What it says to a server. */
    static final String BEAT = "pulse";

    private static final int ATTEMPTS = 5;
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final List<Beat> beats = new CopyOnWriteArrayList<>();

    /** What a standstill may spoil. */
    public interface Attempt {
        void run(Pulse pulse) throws Exception;
    }

    /** Of this process; servers may follow. */
    Pulse() {
        begin(new Beat(null));
    }

    /**
     * Carries out what shows something only where nothing stands still for so long. A failure beside such a standstill shows
     * nothing: then it begins anew, a few times at most. Any other failure is one.
     */
    public static void steadily(Duration standstill, Attempt attempt) throws Exception {
        for (int number = 1; ; number++) {
            try (Pulse pulse = new Pulse()) {
                try {
                    attempt.run(pulse);
                    return;
                } catch (Exception | AssertionError e) {
                    Duration longest = pulse.longestStandstill();
                    if (number == ATTEMPTS || longest.compareTo(standstill) < 0) {
                        throw e;
                    }
                    System.out.println("in vain, as something stood still for " + longest + ": " + e);
                }
            }
        }
    }

    /** Feels these servers from now on, which answer now. */
    public void feel(Iterable<? extends RedisServer> servers) {
        for (RedisServer server : servers) {
            Beat beat = new Beat(server);
            beat.ask();
            begin(beat);
        }
    }

    /** Feels this server from now on, which answers now. */
    public void feel(RedisServer server) {
        feel(List.of(server));
    }

    /** Feels no server any more: one of them is about to be broken. */
    public void leaveServers() {
        beats.stream().filter(beat -> beat.server != null).forEach(Beat::end);
    }

    /** The longest so far, also if it lasts. */
    Duration longestStandstill() {
        return Duration.ofNanos(beats.stream().mapToLong(Beat::longest).max().orElse(0));
    }

    private void begin(Beat beat) {
        beats.add(beat);
        Thread thread = new Thread(beat::goOn, "pulse");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        beats.forEach(Beat::end);
    }

    private static final class Beat {
        private final @Nullable RedisServer server;
        private volatile @Nullable Connection connection;
        private volatile long latest = System.nanoTime();
        private volatile long longest;
        private volatile boolean over;

        Beat(@Nullable RedisServer server) {
            this.server = server;
        }

        void goOn() {
            while (!over) {
                if (ask() && !over) {
                    longest = longest();
                    latest = System.nanoTime();
                }
                LockSupport.parkNanos(PERIOD_NANOS);
            }
            disconnect();
        }

        /** Whether there is an answer, be it to say no. */
        boolean ask() {
            if (server == null) {
                return true;
            }
            try {
                Connection to = connection;
                if (to == null) {
                    to = new Connection(new HostAndPort("127.0.0.1", server.port()), server.clientConfig());
                    connection = to;
                }
                to.sendCommand(Command.ECHO, BEAT);
                to.getOne();
                return true;
            } catch (JedisDataException e) {
                return true;
            } catch (JedisConnectionException e) {
                disconnect();
                return false;
            }
        }

        private void disconnect() {
            Connection last = connection;
            connection = null;
            if (last != null) {
                try {
                    last.forceDisconnect();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        long longest() {
            return over ? longest : Math.max(longest, System.nanoTime() - latest);
        }

        void end() {
            longest = longest();
            over = true;
            disconnect(); // whoever waits for an answer
        }
    }
}
