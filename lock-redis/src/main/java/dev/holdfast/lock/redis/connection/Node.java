package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.spi.Deadline;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** One server, and the connections to it. Thread-safe. */
interface Node {

    /** Where it is. */
    HostAndPort address();

    /**
     * A connection for a moment.
     *
     * @throws JedisException if there is none by then
     */
    Borrowed borrow(Deadline deadline);

    /**
     * A connection for long, which counts for no pool's size where that can be helped, and is closed afterwards.
     *
     * @throws JedisException if there is none by then
     */
    Borrowed dedicated(Deadline deadline);
}
