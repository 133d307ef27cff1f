package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The master of the moment. One thread asks all sentinels for it again and again, and at once when the master is in doubt. That
 * a sentinel has nothing new to say is an answer, so that a connection that is dead does not look like one.
 */
final class Masters implements Place {

    private static final Logger log = LoggerFactory.getLogger(Masters.class);

    /** As long as a master that has been replaced without its knowledge may be asked on. */
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Between two rounds while the master is in doubt. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final Duration ANSWER = Duration.ofSeconds(1);

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final RedisUri uri;
    private final Duration timeout;
    private final OwnNodes sentinels;
    private final OwnNodes nodes;
    private final Belief belief;
    private final Map<HostAndPort, Duration> patience = new HashMap<>();
    private final Thread thread;
    private volatile HostAndPort present;
    private volatile boolean doubted;
    private volatile boolean closed;

    /**
     * Asks all sentinels.
     *
     * @throws LockConfigurationException if some answer, and none of them knows the master
     * @throws JedisException if none answers
     */
    Masters(RedisUri uri, Access access) {
        this.uri = uri;
        this.timeout = access.timeout();
        this.sentinels = new OwnNodes(uri.hosts(), access.ofSentinels(uri), 1);
        this.nodes = new OwnNodes(Set.of(), access.ofServers(uri), access.poolSize());
        this.thread = new Thread(this::watch, "holdfast-redis-sentinels");
        boolean opened = false;
        try {
            belief = new Belief(uri.hosts().size(), first());
            present = belief.present().address();
            thread.setDaemon(true);
            thread.start();
            opened = true;
        } finally {
            if (!opened) {
                sentinels.close();
            }
        }
    }

    /** Once one has answered, the others have less time to do so: they are asked again soon. */
    private List<Named> first() {
        List<Named> answers = new ArrayList<>();
        List<String> strangers = new ArrayList<>();
        JedisException silence = new JedisConnectionException("no sentinel answers");
        for (HostAndPort sentinel : uri.hosts()) {
            try {
                ask(sentinel, answers.isEmpty() ? timeout : least())
                        .ifPresentOrElse(answers::add, () -> strangers.add(sentinel.toString()));
            } catch (JedisException e) {
                silence.addSuppressed(e);
            }
        }
        if (answers.isEmpty() && !strangers.isEmpty()) {
            throw new LockConfigurationException("cannot open " + uri + ": the sentinels "
                    + String.join(", ", strangers) + " know no master '" + uri.master() + "'");
        }
        if (answers.isEmpty()) {
            throw silence;
        }
        return answers;
    }

    private Optional<Named> ask(HostAndPort sentinel, Duration within) {
        return SingleServer.ask(
                sentinels.at(sentinel), connection -> Named.by(connection, uri.master()), Deadline.in(within));
    }

    private Duration least() {
        return timeout.compareTo(ANSWER) < 0 ? timeout : ANSWER;
    }

    private void watch() {
        long lastWord = System.nanoTime();
        boolean isSilent = false;
        while (!closed) {
            long began = System.nanoTime();
            doubted = false;
            try {
                if (isAnswered()) {
                    lastWord = began;
                    isSilent = false;
                } else if (!isSilent && System.nanoTime() - lastWord >= SILENCE_NANOS) {
                    isSilent = true;
                    log.warn("no sentinel of {} has answered for half a minute: a failover would go unnoticed", uri);
                }
            } catch (Throwable e) { // it must not end, whatever it is
                log.debug("the sentinels could not be asked", e);
            }
            rest(began);
        }
    }

    private void rest(long began) {
        while (!closed) {
            long left = began + (doubted ? LEAST_NANOS : INTERVAL_NANOS) - System.nanoTime();
            if (left <= 0) {
                return;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    /** One round; whether any of them knew the master. */
    private boolean isAnswered() {
        List<Named> answers = new ArrayList<>();
        for (HostAndPort sentinel : uri.hosts()) {
            if (closed) {
                return true;
            }
            Duration within = patience.getOrDefault(sentinel, least());
            long asked = System.nanoTime();
            try {
                ask(sentinel, within).ifPresent(answers::add);
                if (System.nanoTime() - asked < least().toNanos()) {
                    patience.remove(sentinel);
                }
                answers.forEach(belief::hear);
                goTo(belief.present().address());
            } catch (JedisException e) {
                log.debug("the sentinel {} does not answer", sentinel, e);
                Duration more = within.multipliedBy(2); // it may be far away
                patience.put(sentinel, more.compareTo(timeout) < 0 ? more : timeout);
            }
        }
        belief.settle(answers, System.nanoTime());
        goTo(belief.present().address());
        return !answers.isEmpty();
    }

    private void goTo(HostAndPort master) {
        if (!master.equals(present)) {
            log.info("the sentinels of {} name {} as their master, and no longer {}", uri, master, present);
            present = master;
            nodes.retain(Set.of(master));
        }
    }

    @Override
    public Node present() {
        HostAndPort master = present;
        Node node = nodes.at(master);
        HostAndPort next = present;
        if (next.equals(master)) {
            return node;
        }
        nodes.retain(Set.of(next)); // the other one is not to be there again
        return nodes.at(next);
    }

    @Override
    public void doubt() {
        doubted = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        nodes.close();
        sentinels.close();
    }
}
