package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.connection.Failures;
import dev.holdfast.lock.redis.connection.Opening;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.examination.Subject;
import dev.holdfast.lock.redis.script.Batch;
import dev.holdfast.lock.redis.script.StepCall;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
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

    /** With more at a time, their threads are in each other's way. */
    private static final int MOST_CALLS = 8;

    private final Contact contact;
    private final StepCall calls;

    private RedisLockStore(Contact contact) {
        this.contact = contact;
        this.calls = new StepCall(contact.keyspace(), contact.channel());
    }

    /** A store on these servers if they will do; otherwise they are closed. */
    static RedisLockStore on(Subject subject, String where, Deadline deadline) {
        return new RedisLockStore(Contact.with(subject, where, deadline));
    }

    /**
     * As {@link #of(UnifiedJedis, Namespace)}, in the namespace {@code default}: the one of a configuration that names none.
     *
     * @param client of one server, of sentinels or of a Cluster
     * @return a store, to be closed before the client is
     * @throws LockConfigurationException if it is another kind of client, or a server that will not do
     * @throws LockUnavailableException if the server cannot be reached
     */
    public static RedisLockStore of(UnifiedJedis client) {
        return of(client, new Namespace("default"));
    }

    /**
     * A store on the application's own client: a RedisClient, RedisSentinelClient or RedisClusterClient, or what was there
     * before these, a JedisPooled, JedisSentineled or JedisCluster. Each call takes a connection from its pool for a moment, and
     * gives it back as it was; callers take half of the pool at a time at most, and no more than eight; while somebody waits
     * for a lock, one more listens for signals, and is closed afterwards. The client is never closed here. A connection that
     * fails takes those with it that idle in its pool, as they are likely to be dead as well.
     *
     * <p>A client of sentinels finds the master by itself. Unless the {@code blockingSocketTimeoutMillis} of its configuration
     * for sentinels is set, it notices no failover once all its connections to them are dead without a word.
     *
     * @param client one that does not change the names of keys
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

    /** {@inheritDoc} Half of its connections, and eight at most. */
    @Override
    public int parallelCalls() {
        return Math.max(1, Math.min(MOST_CALLS, contact.connections() / 2));
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        if (steps.isEmpty()) {
            return List.of();
        }
        Batch batch = calls.of(steps);
        List<Object> replies = batch.replies(contact.call(batch.calls(), timeout));
        List<Answer> answers = new ArrayList<>(steps.size());
        for (int at = 0; at < steps.size(); at++) {
            answers.add(answer(steps.get(at), replies.get(at)));
        }
        return answers;
    }

    private Answer answer(Step step, Object reply) {
        return reply instanceof JedisException failure ? contact.unanswered(failure) : StepCall.answer(step, reply);
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return contact.signals(to);
    }

    @Override
    public Stream<LockInfo> inspect(String prefix, Duration timeout) {
        return contact.inspect(contact.keyspace(), prefix, timeout);
    }

    @Override
    public List<Finding> examine(Duration timeout) {
        return contact.findings(timeout);
    }

    @Override
    public void close() {
        contact.close();
    }
}
