package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationSource;
import dev.holdfast.lock.spi.support.ReconnectingListener;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * SUBSCRIBE on a dedicated connection. A silent connection may be dead: each call to the store {@linkplain #check checks}
 * it.
 */
public final class RedisNotificationSource implements NotificationSource {

    private static final Logger log = LoggerFactory.getLogger(RedisNotificationSource.class);

    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final Duration PING_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

    private static final int ID_LENGTH = 32;
    private static final int HALF = ID_LENGTH / 2;
    private static final int HEXADECIMAL = 16;

    private final RedisServers servers;
    private final String channel;
    private final long silenceNanos;
    private final long pingTimeoutNanos;
    private volatile @Nullable Subscription current;

    /** @param channel of this store */
    public RedisNotificationSource(RedisServers servers, String channel) {
        this(servers, channel, SILENCE, PING_TIMEOUT);
    }

    /**
     * @param silence after which a check sends a PING
     * @param pingTimeout after which a check ends a connection without an answer to its PING
     */
    RedisNotificationSource(RedisServers servers, String channel, Duration silence, Duration pingTimeout) {
        this.servers = servers;
        this.channel = channel;
        this.silenceNanos = silence.toNanos();
        this.pingTimeoutNanos = pingTimeout.toNanos();
    }

    @Override
    public void listen(ReconnectingListener listening) {
        try (BorrowedConnection borrowed = servers.openSubscriber(Deadline.in(CONNECT_TIMEOUT))) {
            Subscription subscription = new Subscription(borrowed, listening);
            current = subscription;
            try {
                if (listening.isClosed()) {
                    return; // end() may have come before there was a subscription
                }
                subscription.proceed(borrowed.connection(), channel);
            } finally {
                current = null;
                subscription.end();
            }
        }
    }

    /** Sends a PING if the connection has been silent, and ends the connection if an earlier PING went unanswered. */
    public void check() {
        Subscription subscription = current;
        if (subscription != null) {
            subscription.check();
        }
    }

    @Override
    public void stop() {
        Subscription subscription = current;
        if (subscription != null) {
            subscription.end();
        }
    }

    /** Reads a message. Other clients may publish anything: any other message is read as a notification to every waiter. */
    static Notification parse(String message) {
        try {
            AcquisitionId id = new AcquisitionId(
                    Long.parseUnsignedLong(message.substring(0, HALF), HEXADECIMAL),
                    Long.parseUnsignedLong(message.substring(HALF, ID_LENGTH), HEXADECIMAL));
            return Notification.of(new LockName(message.substring(ID_LENGTH + 1)), id);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return Notification.ANY;
        }
    }

    /** One connection's subscription. Once ended, it sends nothing: Jedis would reopen the connection. */
    private final class Subscription extends JedisPubSub {
        private final BorrowedConnection connection;
        private final ReconnectingListener listening;
        private final ReentrantLock sending = new ReentrantLock();
        private volatile long lastMessage = System.nanoTime();
        private long lastPing = lastMessage;
        private boolean ended;

        Subscription(BorrowedConnection connection, ReconnectingListener listening) {
            this.connection = connection;
            this.listening = listening;
        }

        @Override
        public void onSubscribe(String subscribed, int channels) {
            lastMessage = System.nanoTime();
            if (listening.isClosed()) {
                end(); // end() may have come before the connection was open
                throw new JedisConnectionException("closed while it was subscribing");
            }
            listening.connected();
        }

        @Override
        public void onMessage(String from, String message) {
            lastMessage = System.nanoTime();
            listening.deliver(parse(message));
        }

        @Override
        public void onPong(String pattern) {
            lastMessage = System.nanoTime();
        }

        void check() {
            if (!sending.tryLock()) {
                return; // another call checks
            }
            try {
                long now = System.nanoTime();
                boolean isAnswered = lastMessage - lastPing >= 0;
                if (ended) {
                    return;
                } else if (!isAnswered && now - lastPing >= pingTimeoutNanos) {
                    disconnect();
                } else if (isAnswered && now - lastMessage >= silenceNanos) {
                    lastPing = now;
                    ping();
                }
            } catch (JedisException e) {
                log.debug("the connection for notifications is gone", e); // the reading thread learns the same
            } finally {
                sending.unlock();
            }
        }

        void end() {
            sending.lock();
            try {
                disconnect();
            } finally {
                sending.unlock();
            }
        }

        private void disconnect() {
            ended = true;
            connection.disconnect();
        }
    }
}
