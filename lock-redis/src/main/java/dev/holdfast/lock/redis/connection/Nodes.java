package dev.holdfast.lock.redis.connection;

import java.util.Collection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** The servers of a Cluster, by their addresses. Thread-safe. */
interface Nodes extends AutoCloseable {

    /**
     * The one at this address.
     *
     * @throws JedisException if it is not known, and cannot be got to know from here
     */
    Node at(HostAndPort address);

    /** Some of which one may ask which slots each has. */
    Collection<HostAndPort> known();

    /** These are all that there are. */
    void retain(Collection<HostAndPort> addresses);

    @Override
    void close();
}
