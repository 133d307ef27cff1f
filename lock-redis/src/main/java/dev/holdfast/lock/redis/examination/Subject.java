package dev.holdfast.lock.redis.examination;

import dev.holdfast.lock.redis.connection.RedisUri.Topology;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.spi.Namespace;

/**
 * What is examined.
 *
 * @param servers all that grant locks
 * @param topology how they belong together
 * @param user as whom they are asked; what is not known is in angle brackets
 * @param keyspace what locks are called there
 */
public record Subject(Servers servers, Topology topology, String user, Keyspace keyspace) {

    /** The locks of this namespace. */
    public Subject(Servers servers, Topology topology, String user, Namespace namespace) {
        this(servers, topology, user, new Keyspace(namespace, servers.buckets()));
    }
}
