package dev.holdfast.lock.redis.doctor;

import dev.holdfast.lock.redis.client.RedisServers;
import dev.holdfast.lock.redis.client.RedisUri.Topology;
import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.Script;
import dev.holdfast.lock.spi.Namespace;

/**
 * The subject of a store and of its diagnosis.
 *
 * @param servers all that grant locks
 * @param topology how the servers are organized
 * @param user the ACL user of the connections; in angle brackets if it is not known
 * @param keys of the locks
 * @param isPrimary whether the servers are to grant on behalf of a composite
 */
public record RedisTarget(RedisServers servers, Topology topology, String user, KeyLayout keys, boolean isPrimary) {

    /** The locks of a namespace in a standalone store. */
    public RedisTarget(RedisServers servers, Topology topology, String user, Namespace namespace) {
        this(servers, topology, user, new KeyLayout(namespace, servers.shards()), false);
    }

    /** The same on behalf of a composite. */
    public RedisTarget asPrimary() {
        return new RedisTarget(servers, topology, user, keys, true);
    }

    Script.Source probe() {
        return isPrimary ? Script.PROBE.underTerm() : Script.PROBE.standalone();
    }
}
