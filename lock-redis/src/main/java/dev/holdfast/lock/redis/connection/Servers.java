package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.spi.Deadline;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** One server, or several that share the locks between them. Thread-safe. */
public interface Servers extends AutoCloseable {

    /** Into how many buckets a namespace is divided, each of which is in one place. */
    int buckets();

    /** How many connections to each of them there may be at a time. */
    int connections();

    /**
     * Has these calls carried out, those with the same keys in their order, and returns what came of each: a reply, or the
     * {@link JedisException} that says why there is none.
     *
     * @throws JedisException if it is unknown of each whether it was carried out
     */
    List<Object> call(List<Call> calls, Deadline deadline);

    /**
     * A connection to any of them, which all signals reach. Closing ends it.
     *
     * @throws JedisException if there is none by then
     */
    Borrowed subscriber(Deadline deadline);

    /**
     * Asks each server that grants locks, and returns its answers by its address.
     *
     * @param deadline for the first of them; each of the others may take as long
     * @throws JedisException if one of them does not answer
     */
    <T> Map<String, T> each(Question<T> question, Deadline deadline);

    /** Something that is asked of one server. */
    @FunctionalInterface
    interface Question<T> {
        /** Asks by sending and reading on this connection. */
        T ask(Connection connection);
    }

    /** Closes what was opened for it; never the application's own client. */
    @Override
    void close();
}
