package dev.holdfast.lock.redis.signal;

import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.signal.Listening;
import dev.holdfast.lock.spi.signal.Source;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisException;

/**
 * SUBSCRIBE on a connection that does nothing else. It cannot tell a channel in which nobody speaks from a connection that is
 * dead: whoever asks for a lock meanwhile has it {@linkplain #check checked}.
 */
public final class Subscription implements Source {

    private static final Logger log = LoggerFactory.getLogger(Subscription.class);

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long DEAD_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final int ID_LENGTH = 32;
    private static final int HALF = ID_LENGTH / 2;
    private static final int HEXADECIMAL = 16;

    private final Servers servers;
    private final String channel;
    private volatile @Nullable Following current;

    /** @param channel where this process is told */
    public Subscription(Servers servers, String channel) {
        this.servers = servers;
        this.channel = channel;
    }

    @Override
    public void follow(Listening listening) {
        try (Connection connection = servers.subscriber()) {
            Following following = new Following(connection, listening);
            current = following;
            try {
                if (!listening.isClosed()) {
                    following.proceed(connection, channel);
                }
            } finally {
                current = null;
                connection.setBroken(); // it may yet be told something: it is of no use to anybody else
            }
        }
    }

    /** Asks for a word if there was none lately, and ends the connection if that was in vain. */
    public void check() {
        Following following = current;
        if (following != null) {
            following.check();
        }
    }

    @Override
    public void end() {
        Following following = current;
        if (following != null) {
            following.cut();
        }
    }

    /** What a message says. Anybody may publish: what makes no sense may mean anything. */
    static Signal signal(String message) {
        try {
            AcquisitionId id = new AcquisitionId(
                    Long.parseUnsignedLong(message.substring(0, HALF), HEXADECIMAL),
                    Long.parseUnsignedLong(message.substring(HALF, ID_LENGTH), HEXADECIMAL));
            return Signal.to(new LockName(message.substring(ID_LENGTH + 1)), id);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return Signal.ANY;
        }
    }

    /** One connection's time. */
    private static final class Following extends JedisPubSub {
        private final Connection connection;
        private final Listening listening;
        private volatile long lastWord = System.nanoTime();
        private volatile long lastPing = lastWord;

        Following(Connection connection, Listening listening) {
            this.connection = connection;
            this.listening = listening;
        }

        @Override
        public void onSubscribe(String to, int channels) {
            lastWord = System.nanoTime();
            listening.connected();
        }

        @Override
        public void onMessage(String from, String message) {
            lastWord = System.nanoTime();
            listening.tell(signal(message));
        }

        @Override
        public void onPong(String pattern) {
            lastWord = System.nanoTime();
        }

        void check() {
            long now = System.nanoTime();
            if (now - lastWord >= DEAD_NANOS && now - lastPing < DEAD_NANOS) {
                cut();
            } else if (now - lastWord >= SILENCE_NANOS && now - lastPing >= SILENCE_NANOS) {
                lastPing = now;
                try {
                    ping();
                } catch (JedisException e) {
                    log.debug("the connection for signals is gone", e); // whoever reads from it learns the same
                }
            }
        }

        void cut() {
            try {
                connection.forceDisconnect();
            } catch (IOException e) {
                log.debug("the connection for signals was not cut", e);
            }
        }
    }
}
