package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Asks sentinels for their master before the client library does, which would not say why it found none. */
final class SentinelInquiry {

    private SentinelInquiry() {}

    /**
     * Returns if one of the sentinels knows the master.
     *
     * @throws LockConfigurationException if some answer, and none of them knows it
     * @throws JedisException if none answers
     */
    static void requireMaster(RedisUri uri, JedisClientConfig config) {
        List<String> strangers = new ArrayList<>();
        JedisException silence = new JedisConnectionException("no sentinel answers");
        for (HostAndPort sentinel : uri.hosts()) {
            try {
                if (knows(sentinel, config, uri.master())) {
                    return;
                }
                strangers.add(sentinel.toString());
            } catch (JedisException e) {
                silence.addSuppressed(e);
            }
        }
        if (!strangers.isEmpty()) {
            throw new LockConfigurationException("cannot open " + uri + ": the sentinels "
                    + String.join(", ", strangers) + " know no master '" + uri.master() + "'");
        }
        throw silence;
    }

    private static boolean knows(HostAndPort sentinel, JedisClientConfig config, String master) {
        try (Connection connection = new Connection(sentinel, config)) {
            connection.sendCommand(new CommandArguments(Command.SENTINEL)
                    .add("GET-MASTER-ADDR-BY-NAME")
                    .add(master));
            return connection.getOne() != null;
        }
    }
}
