package dev.holdfast.lock.redis.connection;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The master that a sentinel names.
 *
 * @param epoch of the failover that made it the master, which rises with each; 0 if the sentinel does not say
 */
record Named(HostAndPort address, long epoch) {

    private static final String EPOCH = "config-epoch";

    /**
     * Asks a sentinel; empty if it knows no such master.
     *
     * <p>Both questions travel together, so that no failover comes between them. The first may be refused to a user that may
     * ask no more than the second. Only the second names a promoted replica before the others follow it.
     *
     * @param refused is told the error if it names the master, and does not say the epoch to this user
     * @throws JedisException if it does not answer, or is no sentinel
     * @throws RuntimeException if it answers as none does
     */
    static Optional<Named> by(Connection sentinel, String master, Consumer<JedisDataException> refused) {
        sentinel.sendCommand(
                new CommandArguments(Command.SENTINEL).add("MASTER").add(master));
        sentinel.sendCommand(new CommandArguments(Command.SENTINEL)
                .add("GET-MASTER-ADDR-BY-NAME")
                .add(master));
        Object facts = orError(sentinel);
        if (!(sentinel.getOne() instanceof List<?> address)) {
            return Optional.empty();
        }
        if (facts instanceof JedisDataException error) {
            refused.accept(error);
        }
        return Optional.of(new Named(address(address), epoch(facts)));
    }

    private static Object orError(Connection sentinel) {
        try {
            return sentinel.getOne();
        } catch (JedisDataException e) { // no such master, or not for this user
            return e;
        }
    }

    private static HostAndPort address(List<?> hostAndPort) {
        int port = Integer.parseInt(text(hostAndPort.get(1)));
        if (port < 1 || port > RedisUri.GREATEST_PORT) {
            throw new JedisException("a sentinel names a master with the port " + port);
        }
        return new HostAndPort(text(hostAndPort.get(0)), port);
    }

    private static long epoch(Object answer) {
        if (answer instanceof List<?> facts) {
            for (int at = 0; at + 1 < facts.size(); at += 2) {
                if (text(facts.get(at)).equals(EPOCH)) {
                    return Long.parseLong(text(facts.get(at + 1)));
                }
            }
        }
        return 0;
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.UTF_8);
    }
}
