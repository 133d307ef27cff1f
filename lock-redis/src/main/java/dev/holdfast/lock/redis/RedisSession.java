package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.client.RedisErrors;
import dev.holdfast.lock.redis.client.RedisNotificationSource;
import dev.holdfast.lock.redis.client.RedisServers;
import dev.holdfast.lock.redis.doctor.RedisDiagnostics;
import dev.holdfast.lock.redis.doctor.RedisLockListing;
import dev.holdfast.lock.redis.doctor.RedisRequirements;
import dev.holdfast.lock.redis.doctor.RedisTarget;
import dev.holdfast.lock.redis.script.CommandScripts;
import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationHub;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The servers of one store from opening to closing: commands, notifications, listing and diagnostics. Thread-safe. Every
 * request throws a {@link LockUnavailableException} if the servers do not answer or the primary term is not active, and an
 * {@link IllegalStateException} once the session is closed.
 */
final class RedisSession implements AutoCloseable {

    private final String where;
    private final RedisTarget target;
    private final RedisServers servers;
    private final String channel = UUID.randomUUID().toString();
    private final ParallelCalls parallelCalls = new ParallelCalls();
    private final NotificationHub subscribers;
    private volatile @Nullable RedisNotificationSource notifications;
    private volatile boolean closed;

    private RedisSession(RedisTarget target, String where) {
        this.where = where;
        this.target = target;
        this.servers = target.servers();
        this.subscribers = new NotificationHub(() -> {
            RedisNotificationSource source = new RedisNotificationSource(servers, keys().channels() + channel);
            notifications = source;
            return source;
        });
    }

    /**
     * Opens a session with these servers; closes them if they do not meet the requirements.
     *
     * @param where the address of the servers, without secrets
     * @throws LockConfigurationException if they do not meet the requirements
     * @throws LockUnavailableException if they cannot be reached
     */
    static RedisSession open(RedisTarget target, String where, Deadline deadline) {
        RedisSession session = new RedisSession(target, where);
        boolean opened = false;
        try {
            new RedisRequirements(target, where).verify(deadline);
            opened = true;
            return session;
        } catch (JedisException e) {
            throw RedisErrors.opening(where, e);
        } finally {
            if (!opened) {
                session.close();
            }
        }
    }

    /** The keys of a standalone store. */
    KeyLayout keys() {
        return target.keys();
    }

    /**
     * The number of calls that run better in parallel than as one: as measured, with a single server; half of the connections to one
     * server at most.
     */
    int parallelCalls() {
        int wanted = servers.shards() == 1 ? parallelCalls.number() : ParallelCalls.MAX;
        return Math.max(1, Math.min(wanted, servers.connections() / 2));
    }

    /** The scripts for commands on these keys, whose waiters are notified through this session. */
    CommandScripts scripts(KeyLayout keys) {
        return new CommandScripts(keys, channel, this::unavailable);
    }

    /** Executes these commands, those on one lock in order, and returns the reply to each. */
    List<LockReply> execute(CommandScripts scripts, List<LockCommand> commands, Duration timeout) {
        if (commands.isEmpty()) {
            return List.of();
        }
        Deadline deadline = Deadline.in(timeout);
        long began = System.nanoTime();
        parallelCalls.began(commands.size());
        try {
            CommandScripts.Exchange exchange = scripts.begin(commands);
            if (!exchange.receive(call(exchange.calls(), deadline))) {
                finish(exchange, deadline);
            }
            return exchange.replies();
        } finally {
            parallelCalls.ended(commands.size(), System.nanoTime() - began);
        }
    }

    /** The commands that have their replies keep them if the others get none. */
    private void finish(CommandScripts.Exchange exchange, Deadline deadline) {
        try {
            exchange.receive(call(exchange.calls(), deadline));
        } catch (LockUnavailableException e) {
            exchange.fail(e);
        }
    }

    /** Makes these calls, and returns for each a reply, or the {@link JedisException} that explains why there is none. */
    List<Object> call(List<ScriptCall> calls, Deadline deadline) {
        RedisNotificationSource source = notifications;
        if (source != null) {
            source.check();
        }
        requireOpen();
        try {
            return servers.call(calls, deadline);
        } catch (JedisException e) {
            throw unavailable(e);
        }
    }

    /** The answer of the server; in a Cluster, of one of them. */
    <T> T ask(RedisServers.Question<T> question, Duration timeout) {
        return request(
                timeout,
                deadline ->
                        servers.askEach(question, deadline).values().iterator().next());
    }

    AutoCloseable subscribe(Consumer<Notification> listener) {
        return subscribers.subscribe(listener);
    }

    /** The locks of these keys, read page by page. */
    Stream<LockInfo> list(KeyLayout keys, String prefix, Duration timeout) {
        RedisLockListing listing = new RedisLockListing(servers, keys);
        return request(timeout, deadline -> listing.names(prefix, deadline)).stream()
                .flatMap(names -> request(timeout, deadline -> listing.locks(names, deadline)).stream());
    }

    List<Finding> diagnose(Duration timeout) {
        return request(timeout, deadline -> RedisDiagnostics.of(target, deadline));
    }

    private <T> T request(Duration timeout, Function<Deadline, T> request) {
        requireOpen();
        try {
            return request.apply(Deadline.in(timeout));
        } catch (JedisException | StaleTermException e) {
            throw unavailable(e);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
    }

    LockUnavailableException unavailable(RuntimeException failure) {
        return RedisErrors.unavailable(where, failure);
    }

    /** Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            subscribers.close();
            servers.close();
        }
    }
}
