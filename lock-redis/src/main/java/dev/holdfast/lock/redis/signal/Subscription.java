package dev.holdfast.lock.redis.signal;

import dev.holdfast.lock.redis.connection.Borrowed;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.signal.Listening;
import dev.holdfast.lock.spi.signal.Source;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * SUBSCRIBE on a connection that does nothing else. It cannot tell a channel in which nobody speaks from a connection that is
 * dead: whoever asks for a lock meanwhile has it {@linkplain #check checked}.
 */
public final class Subscription implements Source {

    private static final Logger log = LoggerFactory.getLogger(Subscription.class);

    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final Duration ROUND_TRIP = Duration.ofSeconds(10);

    private static final Duration CONNECTING = Duration.ofSeconds(3);

    private static final int ID_LENGTH = 32;
    private static final int HALF = ID_LENGTH / 2;
    private static final int HEXADECIMAL = 16;

    private final Servers servers;
    private final String channel;
    private final long silenceNanos;
    private final long roundTripNanos;
    private volatile @Nullable Following current;

    /** @param channel where this process is told */
    public Subscription(Servers servers, String channel) {
        this(servers, channel, SILENCE, ROUND_TRIP);
    }

    /**
     * @param silence after which to ask whether anybody is still there
     * @param roundTrip how long the answer to that may take
     */
    Subscription(Servers servers, String channel, Duration silence, Duration roundTrip) {
        this.servers = servers;
        this.channel = channel;
        this.silenceNanos = silence.toNanos();
        this.roundTripNanos = roundTrip.toNanos();
    }

    @Override
    public void follow(Listening listening) {
        try (Borrowed borrowed = servers.subscriber(Deadline.in(CONNECTING))) {
            Following following = new Following(borrowed, listening);
            current = following;
            try {
                if (listening.isClosed()) {
                    return; // whoever closed it has found nothing to end yet
                }
                following.proceed(borrowed.connection(), channel);
            } finally {
                current = null;
                following.end();
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
            following.end();
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

    /** One connection's time. The client library opens a connection that was closed as soon as anything is sent by it. */
    private final class Following extends JedisPubSub {
        private final Borrowed connection;
        private final Listening listening;
        private final ReentrantLock sending = new ReentrantLock();
        private volatile long lastWord = System.nanoTime();
        private long lastPing = lastWord;
        private boolean ended;

        Following(Borrowed connection, Listening listening) {
            this.connection = connection;
            this.listening = listening;
        }

        @Override
        public void onSubscribe(String to, int channels) {
            lastWord = System.nanoTime();
            if (listening.isClosed()) {
                end(); // somebody may have tried that before it was open
                throw new JedisConnectionException("closed meanwhile");
            }
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
            if (!sending.tryLock()) {
                return; // somebody is at it
            }
            try {
                long now = System.nanoTime();
                boolean isAnswered = lastWord - lastPing >= 0;
                if (ended) {
                    return;
                } else if (!isAnswered && now - lastPing >= roundTripNanos) {
                    cut();
                } else if (isAnswered && now - lastWord >= silenceNanos) {
                    lastPing = now;
                    ping();
                }
            } catch (JedisException e) {
                log.debug("the connection for signals is gone", e); // whoever reads from it learns the same
            } finally {
                sending.unlock();
            }
        }

        void end() {
            sending.lock();
            try {
                cut();
            } finally {
                sending.unlock();
            }
        }

        private void cut() {
            ended = true;
            connection.cut();
        }
    }
}
