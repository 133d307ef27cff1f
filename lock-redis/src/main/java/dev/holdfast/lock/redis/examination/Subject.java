package dev.holdfast.lock.redis.examination;

import dev.holdfast.lock.redis.connection.RedisUri.Topology;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.redis.script.Script;
import dev.holdfast.lock.spi.Namespace;

/**
 * What is examined.
 *
 * @param servers all that grant locks
 * @param topology how they belong together
 * @param user as whom they are asked; what is not known is in angle brackets
 * @param keyspace what locks are called there
 * @param isPrimary whether they are to grant on a composite's behalf
 */
public record Subject(Servers servers, Topology topology, String user, Keyspace keyspace, boolean isPrimary) {

    /** The locks of this namespace, which the servers grant by themselves. */
    public Subject(Servers servers, Topology topology, String user, Namespace namespace) {
        this(servers, topology, user, new Keyspace(namespace, servers.buckets()), false);
    }

    /** The same, on a composite's behalf. */
    public Subject asPrimary() {
        return new Subject(servers, topology, user, keyspace, true);
    }

    Script probe() {
        return isPrimary ? Script.REIGN_PROBE : Script.PROBE;
    }
}
