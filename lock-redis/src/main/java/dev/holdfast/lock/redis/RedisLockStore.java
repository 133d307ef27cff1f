package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.client.ApplicationClient;
import dev.holdfast.lock.redis.client.RedisErrors;
import dev.holdfast.lock.redis.client.RedisServers;
import dev.holdfast.lock.redis.doctor.RedisTarget;
import dev.holdfast.lock.redis.script.CommandScripts;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Locks in Redis or Valkey. Scripts on the server decide commands, by its clock; a batch is a pipeline of few of them, each for many
 * locks.
 *
 * <p>A lease lasts as long as the server remembers it. A server that restarts with older data, or a replica that takes over
 * without having received the grant, forgets it, and then two clients may hold the same lock. The first holder learns of it
 * at its next renewal, and fencing tokens go on rising by the server's clock.
 *
 * <p>It grants shares. A command for the exclusive lock costs the same as without them.
 *
 * <p>Thread-safe.
 */
public final class RedisLockStore implements LockStore {

    /** Timeout for opening, unless calls may take longer: first calls take longer, and no lock is held yet. */
    static final Duration OPENING = Duration.ofSeconds(10);

    static final Set<Capability> CAPABILITIES =
            Set.of(Capability.QUEUE, Capability.NOTIFICATIONS, Capability.LIST, Capability.SHARES);

    private final RedisSession session;
    private final CommandScripts scripts;

    private RedisLockStore(RedisSession session) {
        this.session = session;
        this.scripts = session.scripts(session.keys());
    }

    /** Opens a store on these servers; closes them if they do not meet the requirements. */
    static RedisLockStore open(RedisTarget target, String where, Deadline deadline) {
        return new RedisLockStore(RedisSession.open(target, where, deadline));
    }

    /**
     * Like {@link #of(UnifiedJedis, Namespace)}, in the namespace {@code default}, as in a configuration that names none.
     *
     * @param client of one server, of sentinels or of a Cluster
     * @return a store, to be closed before the client is
     * @throws LockConfigurationException if it is another kind of client, or its servers do not meet the requirements
     * @throws LockUnavailableException if the servers cannot be reached
     */
    public static RedisLockStore of(UnifiedJedis client) {
        return of(client, new Namespace("default"));
    }

    /**
     * A store on the application's own client: a RedisClient, RedisSentinelClient or RedisClusterClient, or their predecessors
     * JedisPooled, JedisSentineled and JedisCluster. Each call borrows a connection from the client's pool and returns it as it
     * was. Calls of callers take at most half of the pool at a time, and no more than eight connections; renewals and retries take
     * others. While a lock is waited for, one more connection receives notifications, and is closed afterwards. The store never closes the client. A connection that
     * fails takes the idle ones of its pool with it, as they are likely to be dead as well.
     *
     * <p>A client of sentinels finds the master by itself. Unless its configuration for sentinels sets
     * {@code blockingSocketTimeoutMillis}, it does not notice a failover once all its connections to sentinels have died silently.
     *
     * @param client a client that does not rewrite the names of keys
     * @param namespace of the locks
     * @return a store, to be closed before the client is
     * @throws LockConfigurationException if it is another kind of client, or its servers do not meet the requirements
     * @throws LockUnavailableException if the servers cannot be reached
     */
    public static RedisLockStore of(UnifiedJedis client, Namespace namespace) {
        return of(client, namespace, Deadline.in(OPENING));
    }

    /** @param deadline of opening; tests allow more than applications */
    static RedisLockStore of(UnifiedJedis client, Namespace namespace, Deadline deadline) {
        String where = "the application's client";
        RedisServers servers;
        try {
            servers = ApplicationClient.servers(client, deadline);
        } catch (JedisException e) {
            throw RedisErrors.opening(where, e);
        }
        return open(new RedisTarget(servers, ApplicationClient.topology(client), "<user>", namespace), where, deadline);
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    /**
     * {@inheritDoc} Half of the store's connections, and eight at most; fewer with a single server whose round trips are short, where
     * commands cost less in one call than side by side.
     */
    @Override
    public int parallelCalls() {
        return session.parallelCalls();
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        return session.execute(scripts, commands, timeout);
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        return session.subscribe(listener);
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        return session.list(session.keys(), prefix, timeout);
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        return session.diagnose(timeout);
    }

    @Override
    public void close() {
        session.close();
    }
}
