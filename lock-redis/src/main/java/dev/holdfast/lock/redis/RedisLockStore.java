package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.connection.Failures;
import dev.holdfast.lock.redis.connection.Opening;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.examination.Admission;
import dev.holdfast.lock.redis.examination.Examination;
import dev.holdfast.lock.redis.examination.Subject;
import dev.holdfast.lock.redis.inspection.Inspection;
import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.redis.script.StepCall;
import dev.holdfast.lock.redis.signal.Subscription;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.signal.Subscribers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Locks in Redis or Valkey. Every step is one script on the server, whose clock decides; a batch is a pipeline.
 *
 * <p>What was granted lasts as long as the server remembers: one that is started anew from an older state, or a replica that
 * takes over without having heard of a grant, forgets it, and two may hold the same lock then. Whoever lost it is told at its
 * next renewal, and fencing tokens go on rising by the server's clock.
 *
 * <p>Thread-safe.
 */
public final class RedisLockStore implements LockStore {

    /** Not a call's timeout: nobody holds anything yet, and what is done for the first time takes longer. */
    static final Duration OPENING = Duration.ofSeconds(10);

    private final String where;
    private final Subject subject;
    private final Servers servers;
    private final StepCall calls;
    private final Inspection inspection;
    private final Subscribers subscribers;
    private volatile @Nullable Subscription subscription;
    private volatile boolean closed;

    private RedisLockStore(Subject subject, String where) {
        Keyspace keyspace = subject.keyspace();
        String channel = UUID.randomUUID().toString();
        this.where = where;
        this.subject = subject;
        this.servers = subject.servers();
        this.calls = new StepCall(keyspace, channel);
        this.inspection = new Inspection(servers, keyspace);
        this.subscribers = new Subscribers(() -> {
            Subscription started = new Subscription(servers, keyspace.channels() + channel);
            subscription = started;
            return started;
        });
    }

    /** A store on these servers if they will do; otherwise they are closed. */
    static RedisLockStore on(Subject subject, String where, Deadline deadline) {
        RedisLockStore store = new RedisLockStore(subject, where);
        boolean admitted = false;
        try {
            new Admission(subject, where).ask(deadline);
            admitted = true;
            return store;
        } catch (JedisException e) {
            throw Failures.opening(where, e);
        } finally {
            if (!admitted) {
                store.close();
            }
        }
    }

    /**
     * As {@link #of(UnifiedJedis, Namespace)}, in the namespace {@code default}: the one of a configuration that names none.
     *
     * @param client a RedisClient, RedisSentinelClient or RedisClusterClient
     * @return a store, to be closed before the client is
     * @throws LockConfigurationException if it is another kind of client, or a server that will not do
     * @throws LockUnavailableException if the server cannot be reached
     */
    public static RedisLockStore of(UnifiedJedis client) {
        return of(client, new Namespace("default"));
    }

    /**
     * A store on the application's own client. Each call takes a connection from its pool for a moment, and gives it back as
     * it was; while somebody waits for a lock, one more listens for signals, and is closed afterwards. The client is never
     * closed here. A connection that fails takes those with it that idle in its pool, as they are likely to be dead as well.
     *
     * @param client a RedisClient, RedisSentinelClient or RedisClusterClient; not one that changes the names of keys
     * @param namespace whose locks these are
     * @return a store, to be closed before the client is
     * @throws LockConfigurationException if it is another kind of client, or a server that will not do
     * @throws LockUnavailableException if the server cannot be reached
     */
    public static RedisLockStore of(UnifiedJedis client, Namespace namespace) {
        String where = "the application's client";
        Deadline deadline = Deadline.in(OPENING);
        Servers servers;
        try {
            servers = Opening.of(client, deadline);
        } catch (JedisException e) {
            throw Failures.opening(where, e);
        }
        return on(new Subject(servers, Opening.topology(client), "<user>", namespace), where, deadline);
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.values());
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        if (steps.isEmpty()) {
            return List.of();
        }
        Subscription listening = subscription;
        if (listening != null) {
            listening.check();
        }
        List<Call> toSend = steps.stream().map(calls::of).toList();
        List<Object> replies = ask(timeout, deadline -> servers.call(toSend, deadline));
        List<Answer> answers = new ArrayList<>(steps.size());
        for (int at = 0; at < steps.size(); at++) {
            answers.add(answer(steps.get(at), replies.get(at)));
        }
        return answers;
    }

    private Answer answer(Step step, Object reply) {
        return reply instanceof JedisException failure
                ? new Answer.Unavailable(unavailable(failure), Failures.askAgain(failure))
                : StepCall.answer(step, reply);
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return subscribers.add(to);
    }

    @Override
    public Stream<LockInfo> inspect(String prefix, Duration timeout) {
        return ask(timeout, deadline -> inspection.names(prefix, deadline)).stream()
                .flatMap(names -> ask(timeout, deadline -> inspection.locks(names, deadline)).stream());
    }

    @Override
    public List<Finding> examine(Duration timeout) {
        return ask(timeout, deadline -> Examination.of(subject, deadline));
    }

    private <T> T ask(Duration timeout, Function<Deadline, T> question) {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
        try {
            return question.apply(Deadline.in(timeout));
        } catch (JedisException e) {
            throw unavailable(e);
        }
    }

    private LockUnavailableException unavailable(JedisException failure) {
        return new LockUnavailableException("no answer from " + where + ": " + Failures.because(failure), failure);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            subscribers.close();
            servers.close();
        }
    }
}
