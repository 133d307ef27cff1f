package dev.holdfast.lock.redis.client;

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
 * @param epoch of the failover that made it the master, which rises with each; 0 if the sentinel does not report it
 */
record SentinelReply(HostAndPort master, long epoch) {

    private static final String EPOCH = "config-epoch";

    /**
     * Asks a sentinel; empty if it knows no such master.
     *
     * <p>Both questions travel together, so that no failover comes between them. The first may be refused to a user that has the
     * right to the second only. Only the second names a promoted replica before the others follow it.
     *
     * @param refused receives the error if the sentinel names the master, but denies this user the epoch
     * @throws JedisException if it does not answer, or is no sentinel
     * @throws RuntimeException if its answer is not that of a sentinel
     */
    static Optional<SentinelReply> ask(Connection sentinel, String masterName, Consumer<JedisDataException> refused) {
        sentinel.sendCommand(
                new CommandArguments(Command.SENTINEL).add("MASTER").add(masterName));
        sentinel.sendCommand(new CommandArguments(Command.SENTINEL)
                .add("GET-MASTER-ADDR-BY-NAME")
                .add(masterName));
        Object facts = replyOrError(sentinel);
        if (!(sentinel.getOne() instanceof List<?> address)) {
            return Optional.empty();
        }
        if (facts instanceof JedisDataException error) {
            refused.accept(error);
        }
        return Optional.of(new SentinelReply(address(address), epoch(facts)));
    }

    private static Object replyOrError(Connection sentinel) {
        try {
            return sentinel.getOne();
        } catch (JedisDataException e) { // no such master, or no right to ask
            return e;
        }
    }

    private static HostAndPort address(List<?> hostAndPort) {
        int port = Integer.parseInt(text(hostAndPort.get(1)));
        if (port < 1 || port > RedisUri.MAX_PORT) {
            throw new JedisException("a sentinel names a master with the port " + port);
        }
        return new HostAndPort(text(hostAndPort.get(0)), port);
    }

    private static long epoch(Object facts) {
        if (facts instanceof List<?> words) {
            for (int at = 0; at + 1 < words.size(); at += 2) {
                if (text(words.get(at)).equals(EPOCH)) {
                    return Long.parseLong(text(words.get(at + 1)));
                }
            }
        }
        return 0;
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.UTF_8);
    }
}
