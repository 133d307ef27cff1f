package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.spi.support.Deadline;
import java.util.Collection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** Lends connections to servers, by their address. Thread-safe. */
interface ConnectionSource extends AutoCloseable {

    /**
     * A connection for one call.
     *
     * @throws JedisException if there is none by the deadline
     */
    BorrowedConnection borrow(HostAndPort server, Deadline deadline);

    /**
     * A long-lived connection, outside the server's pool where possible. Closing it ends it.
     *
     * @throws JedisException if there is none by the deadline
     */
    BorrowedConnection openDedicated(HostAndPort server, Deadline deadline);

    /** Whether a connection can be opened to a server that grants no locks, such as a replica. */
    default boolean reachesReplicas() {
        return false;
    }

    /** Servers of a Cluster that may be asked for the slots. */
    Collection<HostAndPort> known();

    /** Closes the connections to all servers but these. */
    void retain(Collection<HostAndPort> servers);

    @Override
    void close();

    /**
     * Asks a server that grants no locks a question, on a connection that is closed afterwards.
     *
     * @throws JedisException if it does not answer by the deadline, or cannot be reached by these connections
     */
    default <T> T askReplica(HostAndPort replica, RedisServers.Question<T> question, Deadline deadline) {
        if (!reachesReplicas()) {
            throw new JedisException("the application's client connects to the master only");
        }
        try (BorrowedConnection dedicated = openDedicated(replica, deadline)) {
            dedicated.connection().setSoTimeout(Math.max(1, deadline.millisLeft()));
            return question.ask(dedicated.connection());
        }
    }

    /**
     * Asks one server a question.
     *
     * @throws JedisException if it does not answer by the deadline
     */
    default <T> T ask(HostAndPort server, RedisServers.Question<T> question, Deadline deadline) {
        try (BorrowedConnection borrowed = borrow(server, deadline)) {
            borrowed.connection().setSoTimeout(Math.max(1, deadline.millisLeft()));
            boolean isAnswered = false;
            try {
                T answer = question.ask(borrowed.connection());
                isAnswered = true;
                return answer;
            } finally {
                if (!isAnswered) {
                    borrowed.discard(); // a reply may be unread
                }
            }
        }
    }
}
