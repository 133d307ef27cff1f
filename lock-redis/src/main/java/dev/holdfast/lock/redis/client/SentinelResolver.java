package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The current master. Each sentinel has a thread that asks it every second, and at once when a caller doubts the master, so that
 * a dead sentinel delays nothing that another one knows. The {@link SentinelQuorum} decides between their replies.
 *
 * <p>Jedis's own resolver is not used: it follows the sentinel that spoke last, even one that missed a failover, and waits for
 * messages, so that connections which died silently look like sentinels without news.
 */
final class SentinelResolver implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SentinelResolver.class);

    /** How long a store may go on with a master that was replaced without its knowledge. */
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Between two requests to a sentinel while the master is in doubt. */
    private static final long DOUBT_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Timeout for a sentinel that answered last time; the others have the whole timeout. */
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final RedisUri uri;
    private final Duration timeout;
    private final OwnConnections sentinels;
    private final OwnConnections servers;
    /** The clock by which a sentinel has been silent for too long. */
    private final LongSupplier nanoTime;

    private final List<Poller> pollers = new ArrayList<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition polled = lock.newCondition();
    /** Guarded by the lock, as is every field below that is not final. */
    private final SentinelReplies replies = new SentinelReplies();

    private final Set<HostAndPort> strangers = new TreeSet<>(Comparator.comparing(HostAndPort::toString));
    private @Nullable SentinelQuorum quorum;
    private long lastReply;
    private boolean isSilent;

    private volatile @Nullable HostAndPort primary;
    private final AtomicBoolean isRefused = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Asks all sentinels for the first time.
     *
     * @param servers the connections to masters: those to all but the current one are closed; not closed with this
     * @throws LockConfigurationException if sentinels answer, and none knows the master
     * @throws JedisException if no sentinel answers
     */
    SentinelResolver(RedisUri uri, ConnectionSettings settings, OwnConnections servers) {
        this(uri, settings, servers, System::nanoTime);
    }

    /** For tests. */
    SentinelResolver(RedisUri uri, ConnectionSettings settings, OwnConnections servers, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lastReply = nanoTime.getAsLong();
        this.uri = uri;
        this.timeout = settings.timeout();
        this.sentinels = new OwnConnections(uri.hosts(), settings.ofSentinels(uri), 1);
        this.servers = servers;
        uri.hosts().forEach(sentinel -> pollers.add(new Poller(sentinel)));
        boolean opened = false;
        try {
            pollers.forEach(poller -> poller.thread.start());
            awaitPrimary();
            opened = true;
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    /** Waits for the first answers of all sentinels; once one has named the master, for the others only briefly. */
    private void awaitPrimary() {
        Deadline deadline = Deadline.in(timeout.plus(ANSWER));
        lock.lock();
        try {
            boolean isNamed = false;
            while (pollers.stream().anyMatch(poller -> !poller.hasPolled) && !deadline.isOver()) {
                if (!isNamed && !replies.isEmpty()) {
                    isNamed = true;
                    deadline = deadline.within(ANSWER);
                }
                polled.await(Math.max(1, deadline.millisLeft()), TimeUnit.MILLISECONDS);
            }
            if (!replies.isEmpty()) {
                quorum = new SentinelQuorum(pollers.size(), replies.latest());
                goTo(quorum.current().master());
                return;
            }
            if (!strangers.isEmpty()) {
                throw new LockConfigurationException("cannot open " + uri + ": " + strangersKnowNoMaster());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JedisException("interrupted while the sentinels were asked", e);
        } finally {
            lock.unlock();
        }
        JedisException failure = new JedisConnectionException("no sentinel answers");
        pollers.stream().map(poller -> poller.failure).filter(Objects::nonNull).forEach(failure::addSuppressed);
        throw failure;
    }

    private String strangersKnowNoMaster() {
        return "the sentinels " + strangers.stream().map(HostAndPort::toString).collect(Collectors.joining(", "))
                + " know no master '" + uri.master() + "'";
    }

    /** Polls one sentinel. */
    private final class Poller implements Runnable {

        private final HostAndPort sentinel;
        private final Thread thread = DaemonThreadFactory.unstarted("holdfast-redis-sentinel", this);
        private boolean answered;
        private volatile boolean doubted;
        private volatile boolean hasPolled;
        private volatile @Nullable RuntimeException failure;

        Poller(HostAndPort sentinel) {
            this.sentinel = sentinel;
        }

        @Override
        public void run() {
            while (!closed) {
                long began = System.nanoTime();
                doubted = false;
                try {
                    poll();
                } catch (Throwable e) { // the thread must not end, whatever happens
                    log.debug("the sentinel {} could not be asked", sentinel, e);
                }
                pause(began);
            }
        }

        private void poll() {
            try {
                Duration patience = answered ? Durations.min(timeout, ANSWER) : timeout;
                answered = false;
                Optional<SentinelReply> reply = sentinels.ask(
                        sentinel,
                        connection -> SentinelReply.ask(connection, uri.master(), this::warnOfRefusal),
                        Deadline.in(patience));
                answered = true;
                failure = null;
                take(sentinel, reply);
            } catch (RuntimeException e) {
                log.debug("the sentinel {} does not answer, or not as a sentinel does", sentinel, e);
                failure = e;
                takeFailure(sentinel);
            } finally {
                signalPolled();
            }
        }

        private void signalPolled() {
            lock.lock();
            try {
                hasPolled = true;
                polled.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private void warnOfRefusal(RuntimeException refusal) {
            if (isRefused.compareAndSet(false, true)) {
                log.warn(
                        "the sentinel {} of {} does not show the epoch of its master ({}): allow its user"
                                + " sentinel|master; until then a new master counts only if more than half of the"
                                + " sentinels name it",
                        sentinel,
                        uri,
                        refusal.getMessage());
            }
        }

        private void pause(long began) {
            while (!closed) {
                long left = began + (doubted ? DOUBT_INTERVAL_NANOS : INTERVAL_NANOS) - System.nanoTime();
                if (left <= 0) {
                    return;
                }
                LockSupport.parkNanos(this, left);
            }
        }

        void refresh() {
            doubted = true;
            LockSupport.unpark(thread);
        }
    }

    private void take(HostAndPort sentinel, Optional<SentinelReply> reply) {
        long now = nanoTime.getAsLong();
        lock.lock();
        try {
            if (reply.isEmpty()) {
                replies.remove(sentinel);
                strangers.add(sentinel);
                warnOfSilence(now);
                return;
            }
            strangers.remove(sentinel);
            replies.put(sentinel, reply.get(), now);
            lastReply = now;
            if (isSilent) {
                isSilent = false;
                log.info("a failover of {} is noticed again: a sentinel answers", uri);
            }
            if (quorum != null) {
                quorum.update(replies.latest(), now);
                goTo(quorum.current().master());
            }
        } finally {
            lock.unlock();
        }
    }

    private void takeFailure(HostAndPort sentinel) {
        lock.lock();
        try {
            strangers.remove(sentinel);
            warnOfSilence(nanoTime.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    private void warnOfSilence(long now) {
        if (!closed && !isSilent && now - lastReply >= SILENCE_NANOS) {
            isSilent = true;
            log.warn(
                    "for half a minute a failover of {} would have gone unnoticed: {}",
                    uri,
                    strangers.isEmpty() ? "no sentinel answers" : strangersKnowNoMaster());
        }
    }

    /** A caller that saw the previous master may open a connection to it again: so that master is retired with each reply. */
    private void goTo(HostAndPort master) {
        HostAndPort before = primary;
        if (!master.equals(before)) {
            if (before != null) {
                log.info("the sentinels of {} name {} as their master, and no longer {}", uri, master, before);
            }
            primary = master;
        }
        servers.retain(Set.of(master));
    }

    /** The address of the master. */
    HostAndPort primary() {
        return Objects.requireNonNull(primary); // set by the constructor
    }

    /** Asks all sentinels at once, as the master did not answer, or not as a master does. Returns immediately. */
    void refresh() {
        pollers.forEach(Poller::refresh);
    }

    @Override
    public void close() {
        closed = true;
        pollers.forEach(poller -> LockSupport.unpark(poller.thread));
        sentinels.close();
    }
}
