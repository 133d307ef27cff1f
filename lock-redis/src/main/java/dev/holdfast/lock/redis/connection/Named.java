package dev.holdfast.lock.redis.connection;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
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
     * @throws JedisException if it does not answer, or is no sentinel
     */
    static Optional<Named> by(Connection sentinel, String master) {
        sentinel.sendCommand(
                new CommandArguments(Command.SENTINEL).add("MASTER").add(master));
        sentinel.sendCommand(new CommandArguments(Command.SENTINEL)
                .add("GET-MASTER-ADDR-BY-NAME")
                .add(master));
        long epoch = epoch(sentinel);
        return sentinel.getOne() instanceof List<?> address
                ? Optional.of(
                        new Named(new HostAndPort(text(address.get(0)), Integer.parseInt(text(address.get(1)))), epoch))
                : Optional.empty();
    }

    private static long epoch(Connection sentinel) {
        try {
            List<?> facts = (List<?>) sentinel.getOne();
            for (int at = 0; at + 1 < facts.size(); at += 2) {
                if (text(facts.get(at)).equals(EPOCH)) {
                    return Long.parseLong(text(facts.get(at + 1)));
                }
            }
            return 0;
        } catch (JedisDataException e) {
            return 0; // no such master, or not for this user
        }
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.UTF_8);
    }
}
