package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.connection.Deposal;
import dev.holdfast.lock.redis.examination.Checkup;
import dev.holdfast.lock.redis.script.Ascent;
import dev.holdfast.lock.redis.script.Batch;
import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.redis.script.StepCall;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Locks in Redis or Valkey, on a composite's behalf. A lineage is the server's {@code master_replid}, which it changes whenever its data
 * may have become others; the mark is a key that lasts, and that goes with the data when they are lost.
 */
final class RedisPrimaryStore implements PrimaryStore {

    private final Contact contact;
    /** Those of the reign that was asked for last. */
    private volatile @Nullable StepCall latest;

    RedisPrimaryStore(Contact contact) {
        this.contact = contact;
    }

    @Override
    public List<Answer> apply(Reign reign, List<Step> steps, Duration timeout) {
        if (steps.isEmpty()) {
            return List.of();
        }
        Batch batch = calls(reign).of(steps);
        List<Object> replies = batch.replies(contact.call(batch.calls(), timeout));
        List<Answer> answers = new ArrayList<>(steps.size());
        for (int at = 0; at < steps.size(); at++) {
            answers.add(answer(steps.get(at), replies.get(at)));
        }
        return answers;
    }

    private StepCall calls(Reign reign) {
        StepCall calls = latest;
        if (calls == null || calls.keyspace().reign().filter(reign::equals).isEmpty()) {
            calls = new StepCall(of(reign), contact.channel());
            latest = calls;
        }
        return calls;
    }

    private Answer answer(Step step, Object reply) {
        Optional<DeposedException> deposed = Deposal.in(reply);
        if (deposed.isPresent()) {
            return new Answer.Unavailable(deposed.get());
        }
        return reply instanceof JedisException failure ? contact.unanswered(failure) : StepCall.answer(step, reply);
    }

    @Override
    public Health examine(Duration timeout) {
        return contact.each(connection -> Checkup.of(connection, contact.keyspace()), timeout)
                .get(0);
    }

    @Override
    public void copy(Reign reign, List<Carried> grants, Duration timeout) {
        if (!grants.isEmpty()) {
            carryOut(new Ascent(of(reign)).copy(grants), timeout);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>One call on one connection. The connections send a call again in one case only: the server has answered that it does not
     * know the script, and so has not carried it out. Sentinel or not, there is no server that sends us on to another.
     */
    @Override
    public void install(Reign reign, long base, Duration timeout) {
        carryOut(List.of(new Ascent(of(reign)).install(base)), timeout);
    }

    private void carryOut(List<Call> calls, Duration timeout) {
        List<Object> replies = contact.call(calls, timeout);
        replies.forEach(Deposal::throwIn);
        for (Object reply : replies) {
            if (reply instanceof JedisException failure) {
                throw contact.unavailable(failure);
            }
        }
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return contact.signals(to);
    }

    /**
     * {@inheritDoc}
     *
     * @throws LockUnavailableException also if the reign is not in power
     */
    @Override
    public Stream<LockInfo> inspect(Reign reign, String prefix, Duration timeout) {
        Health health = examine(timeout); // where there are no locks, nothing else would tell
        if (health.epoch() != reign.epoch() || !health.lineage().equals(reign.lineage())) {
            throw contact.unavailable(new DeposedException(
                    "the mark there is of epoch " + health.epoch() + ", and the lineage is " + health.lineage()));
        }
        return contact.inspect(of(reign), prefix, timeout);
    }

    @Override
    public List<Finding> findings(Duration timeout) {
        return contact.findings(timeout);
    }

    private Keyspace of(Reign reign) {
        return contact.keyspace().under(reign);
    }

    @Override
    public void close() {
        contact.close();
    }
}
