package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.connection.Failures;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.examination.Admission;
import dev.holdfast.lock.redis.examination.Examination;
import dev.holdfast.lock.redis.examination.Subject;
import dev.holdfast.lock.redis.inspection.Inspection;
import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.redis.signal.Subscription;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.signal.Subscribers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * What every store does with its servers. Thread-safe. Whatever asks throws a {@link LockUnavailableException} if nobody
 * answers, or there is nothing to see under a reign that is not in power, and an {@link IllegalStateException} once it is closed.
 */
final class Contact implements AutoCloseable {

    private final String where;
    private final Subject subject;
    private final Servers servers;
    private final String channel = UUID.randomUUID().toString();
    private final Subscribers subscribers;
    private volatile @Nullable Subscription subscription;
    private volatile boolean closed;

    private Contact(Subject subject, String where) {
        this.where = where;
        this.subject = subject;
        this.servers = subject.servers();
        this.subscribers = new Subscribers(() -> {
            Subscription started = new Subscription(servers, keyspace().channels() + channel);
            subscription = started;
            return started;
        });
    }

    /**
     * With these servers if they will do; otherwise they are closed.
     *
     * @param where the servers' address, without secrets
     * @throws LockConfigurationException if they will not do
     * @throws LockUnavailableException if they cannot be reached
     */
    static Contact with(Subject subject, String where, Deadline deadline) {
        Contact contact = new Contact(subject, where);
        boolean admitted = false;
        try {
            new Admission(subject, where).ask(deadline);
            admitted = true;
            return contact;
        } catch (JedisException e) {
            throw Failures.opening(where, e);
        } finally {
            if (!admitted) {
                contact.close();
            }
        }
    }

    /** What the locks are called there, outside of any reign. */
    Keyspace keyspace() {
        return subject.keyspace();
    }

    /** How many to each server there may be at a time. */
    int connections() {
        return servers.connections();
    }

    /** By which this process is told whose turn it is. */
    String channel() {
        return channel;
    }

    /** Has these calls carried out: for each a reply, or the {@link JedisException} that says why there is none. */
    List<Object> call(List<Call> calls, Duration timeout) {
        Subscription listening = subscription;
        if (listening != null) {
            listening.check();
        }
        return ask(timeout, deadline -> servers.call(calls, deadline));
    }

    /** Asks each server something by itself. */
    <T> List<T> each(Servers.Question<T> question, Duration timeout) {
        return ask(
                timeout,
                deadline -> List.copyOf(servers.each(question, deadline).values()));
    }

    AutoCloseable signals(Consumer<Signal> to) {
        return subscribers.add(to);
    }

    Stream<LockInfo> inspect(Keyspace keyspace, String prefix, Duration timeout) {
        Inspection inspection = new Inspection(servers, keyspace);
        return ask(timeout, deadline -> inspection.names(prefix, deadline)).stream()
                .flatMap(names -> ask(timeout, deadline -> inspection.locks(names, deadline)).stream());
    }

    List<Finding> findings(Duration timeout) {
        return ask(timeout, deadline -> Examination.of(subject, deadline));
    }

    private <T> T ask(Duration timeout, Function<Deadline, T> question) {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
        try {
            return question.apply(Deadline.in(timeout));
        } catch (JedisException | DeposedException e) {
            throw unavailable(e);
        }
    }

    /** The answer to a step to which there was no reply. */
    Answer unanswered(JedisException failure) {
        return new Answer.Unavailable(unavailable(failure));
    }

    LockUnavailableException unavailable(RuntimeException failure) {
        return new LockUnavailableException("no answer from " + where + ": " + Failures.because(failure), failure);
    }

    /** Does nothing the second time. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            subscribers.close();
            servers.close();
        }
    }
}
