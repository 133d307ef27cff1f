package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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
    private final OwnNodes sentinels;
    private final OwnNodes nodes;
    private final Belief belief;
    private final Roster roster;
    private final Thread thread;

    /** While the master becomes another one, so that the nodes of those before it go, and never its own. */
    private final ReentrantLock changing = new ReentrantLock();

    private boolean refused;
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
        this.sentinels = new OwnNodes(uri.hosts(), access.ofSentinels(uri), 1);
        this.nodes = new OwnNodes(Set.of(), access.ofServers(uri), access.poolSize());
        this.roster = new Roster(
                uri.hosts(), access.timeout().compareTo(ANSWER) < 0 ? access.timeout() : ANSWER, access.timeout());
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

    private List<Named> first() {
        Round round = round(named -> {});
        if (!round.answers().isEmpty()) {
            return round.answers();
        }
        if (!round.strangers().isEmpty()) {
            throw new LockConfigurationException("cannot open " + uri + ": " + know(round.strangers()));
        }
        JedisException silence = new JedisConnectionException("no sentinel answers");
        round.failures().forEach(silence::addSuppressed);
        throw silence;
    }

    private String know(List<HostAndPort> strangers) {
        return "the sentinels " + strangers.stream().map(HostAndPort::toString).collect(Collectors.joining(", "))
                + " know no master '" + uri.master() + "'";
    }

    /** What came of asking; those that know no such master are strangers. */
    private record Round(List<Named> answers, List<HostAndPort> strangers, List<RuntimeException> failures) {}

    /** @param heard is told of each answer at once */
    private Round round(Consumer<Named> heard) {
        Round round = new Round(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        roster.begin();
        while (!closed) {
            Optional<HostAndPort> next = roster.next();
            if (next.isEmpty()) {
                break;
            }
            ask(next.get(), round).ifPresent(heard);
        }
        return round;
    }

    /** Whatever one of them does, be it the strangest of answers, the others are asked. */
    private Optional<Named> ask(HostAndPort sentinel, Round round) {
        long asked = System.nanoTime();
        try {
            Optional<Named> answer = SingleServer.ask(
                    sentinels.at(sentinel),
                    connection -> Named.by(connection, uri.master(), refusal -> isRefused(sentinel, refusal)),
                    Deadline.in(roster.patience()));
            roster.answered(Duration.ofNanos(System.nanoTime() - asked), answer.isPresent());
            answer.ifPresentOrElse(round.answers()::add, () -> round.strangers().add(sentinel));
            return answer;
        } catch (RuntimeException e) {
            log.debug("the sentinel {} does not answer, or not as a sentinel does", sentinel, e);
            roster.missed();
            round.failures().add(e);
            return Optional.empty();
        }
    }

    private void isRefused(HostAndPort sentinel, RuntimeException refusal) {
        if (!refused) {
            refused = true;
            log.warn(
                    "the sentinel {} of {} does not say which failover made its master one ({}): until its user may call"
                            + " sentinel|master, a new master is believed only if more than half of the sentinels name it",
                    sentinel,
                    uri,
                    refusal.getMessage());
        }
    }

    private void watch() {
        long lastWord = System.nanoTime();
        boolean isSilent = false;
        while (!closed) {
            long began = System.nanoTime();
            doubted = false;
            try {
                Round round = round(this::hear);
                belief.settle(round.answers(), System.nanoTime());
                goTo(belief.present().address());
                if (!round.answers().isEmpty()) {
                    lastWord = began;
                    isSilent = false;
                } else if (!closed && !isSilent && System.nanoTime() - lastWord >= SILENCE_NANOS) {
                    isSilent = true;
                    log.warn(
                            "for half a minute a failover of {} would have gone unnoticed: {}",
                            uri,
                            round.strangers().isEmpty() ? "no sentinel answers" : know(round.strangers()));
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

    private void hear(Named answer) {
        belief.hear(answer);
        goTo(belief.present().address());
    }

    private void goTo(HostAndPort master) {
        if (!master.equals(present)) {
            log.info("the sentinels of {} name {} as their master, and no longer {}", uri, master, present);
            changing.lock();
            try {
                present = master;
                nodes.retain(Set.of(master));
            } finally {
                changing.unlock();
            }
        }
    }

    @Override
    public Node present() {
        while (true) {
            HostAndPort master = present;
            Node node = nodes.at(master);
            if (present.equals(master)) {
                return node;
            }
            changing.lock();
            try {
                nodes.retain(Set.of(present)); // the other one is not to be there again
            } finally {
                changing.unlock();
            }
        }
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
