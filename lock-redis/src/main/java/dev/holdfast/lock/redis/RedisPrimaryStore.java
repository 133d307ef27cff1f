package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.doctor.PrimaryHealthCheck;
import dev.holdfast.lock.redis.script.CommandCodec;
import dev.holdfast.lock.redis.script.FailbackCommands;
import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.redis.script.ScriptReplies;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reign;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Locks in Redis or Valkey on behalf of a composite. The replication id is the server's {@code master_replid}, which changes
 * whenever its data may have become others. The record of the active primary term is a key that does not expire, and that is lost
 * with the data.
 */
final class RedisPrimaryStore implements PrimaryStore {

    private final RedisSession session;
    /** Of the term that was used last. */
    private volatile @Nullable CommandCodec latest;

    RedisPrimaryStore(RedisSession session) {
        this.session = session;
    }

    @Override
    public List<Answer> apply(Reign term, List<Step> commands, Duration timeout) {
        return session.execute(codec(term), commands, timeout);
    }

    private CommandCodec codec(Reign term) {
        CommandCodec codec = latest;
        if (codec == null || codec.keys().primaryTerm().filter(term::equals).isEmpty()) {
            codec = session.codec(keys(term));
            latest = codec;
        }
        return codec;
    }

    @Override
    public Health examine(Duration timeout) {
        return session.ask(connection -> PrimaryHealthCheck.of(connection, session.keys()), timeout);
    }

    @Override
    public void copy(Reign term, List<Carried> leases, Duration timeout) {
        if (!leases.isEmpty()) {
            carryOut(new FailbackCommands(keys(term)).transfer(leases), timeout);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>One call on one connection. It is sent again in one case only: the server answered that it does not know the script, and
     * so did not carry it out. No server redirects it, with Sentinel or without.
     */
    @Override
    public void install(Reign term, long base, Duration timeout) {
        carryOut(List.of(new FailbackCommands(keys(term)).activate(base)), timeout);
    }

    private void carryOut(List<ScriptCall> calls, Duration timeout) {
        List<Object> replies = session.call(calls, timeout);
        replies.forEach(ScriptReplies::requireTerm);
        for (Object reply : replies) {
            if (reply instanceof JedisException failure) {
                throw session.unavailable(failure);
            }
        }
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> listener) {
        return session.subscribe(listener);
    }

    /**
     * {@inheritDoc}
     *
     * @throws LockUnavailableException also if the primary term is not active
     */
    @Override
    public Stream<LockInfo> inspect(Reign term, String prefix, Duration timeout) {
        Health health = examine(timeout); // without locks to list, no script would check the term
        if (health.epoch() != term.epoch() || !health.lineage().equals(term.lineage())) {
            throw session.unavailable(new DeposedException("the record of the primary term is of epoch "
                    + health.epoch() + ", and the replication id is " + health.lineage()));
        }
        return session.list(keys(term), prefix, timeout);
    }

    @Override
    public List<Finding> findings(Duration timeout) {
        return session.diagnose(timeout);
    }

    private KeyLayout keys(Reign term) {
        return session.keys().under(term);
    }

    @Override
    public void close() {
        session.close();
    }
}
