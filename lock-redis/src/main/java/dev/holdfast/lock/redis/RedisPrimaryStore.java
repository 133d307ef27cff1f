package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.doctor.PrimaryHealthCheck;
import dev.holdfast.lock.redis.script.CommandScripts;
import dev.holdfast.lock.redis.script.FailbackCommands;
import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.redis.script.ScriptReplies;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.support.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Locks in Redis or Valkey on behalf of a composite. The replication id is the server's {@code master_replid}, which changes
 * whenever its data may have been replaced. The record of the active primary term is a key that does not expire, and is lost with
 * the data.
 */
final class RedisPrimaryStore implements PrimaryStore {

    private final RedisSession session;
    /** That of the term which was used last. */
    private volatile @Nullable CommandScripts latest;

    RedisPrimaryStore(RedisSession session) {
        this.session = session;
    }

    @Override
    public List<LockReply> execute(PrimaryTerm term, List<LockCommand> commands, Duration timeout) {
        return session.execute(scripts(term), commands, timeout);
    }

    @Override
    public int parallelCalls() {
        return session.parallelCalls();
    }

    private CommandScripts scripts(PrimaryTerm term) {
        CommandScripts scripts = latest;
        if (scripts == null || scripts.keys().primaryTerm().filter(term::equals).isEmpty()) {
            scripts = session.scripts(keys(term));
            latest = scripts;
        }
        return scripts;
    }

    @Override
    public PrimaryHealth health(Duration timeout) {
        return session.ask(connection -> PrimaryHealthCheck.of(connection, session.keys()), timeout);
    }

    @Override
    public void copyLeases(PrimaryTerm term, List<TransferredLease> leases, Duration timeout) {
        if (!leases.isEmpty()) {
            carryOut(new FailbackCommands(keys(term)).transfer(leases), timeout);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>One call on one connection. It is sent again in one case only: the server answered that it does not know the script, and
     * so has not run it. No server redirects it, with Sentinel or without.
     */
    @Override
    public void installTerm(PrimaryTerm term, long base, Duration timeout) {
        carryOut(List.of(new FailbackCommands(keys(term)).activate(base)), timeout);
    }

    private void carryOut(List<ScriptCall> calls, Duration timeout) {
        List<Object> replies = session.call(calls, Deadline.in(timeout));
        replies.forEach(ScriptReplies::requireTerm);
        for (Object reply : replies) {
            if (reply instanceof JedisException failure) {
                throw session.unavailable(failure);
            }
        }
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        return session.subscribe(listener);
    }

    /**
     * {@inheritDoc}
     *
     * @throws LockUnavailableException also if the primary term is not active
     */
    @Override
    public Stream<LockInfo> list(PrimaryTerm term, String prefix, Duration timeout) {
        PrimaryHealth health = health(timeout); // without locks to list, no script would check the term
        if (health.epoch() != term.epoch() || !health.replicationId().equals(term.replicationId())) {
            throw session.unavailable(new StaleTermException("the record of the primary term is of epoch "
                    + health.epoch() + ", and the replication id is " + health.replicationId()));
        }
        return session.list(keys(term), prefix, timeout);
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        return session.diagnose(timeout);
    }

    private KeyLayout keys(PrimaryTerm term) {
        return session.keys().under(term);
    }

    @Override
    public void close() {
        session.close();
    }
}
