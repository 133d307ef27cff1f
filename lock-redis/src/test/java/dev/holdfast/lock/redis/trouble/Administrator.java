package dev.holdfast.lock.redis.trouble;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;

/** Who tells a server what no application would. */
final class Administrator {

    private static final String MADE = "total_connections_received:";

    private Administrator() {}

    /** Has a command carried out; what it kills is never the connection that it comes by. */
    static void order(RedisClient client, String command, String... arguments) {
        Object unused =
                client.executeCommand(new CommandArguments(Command.valueOf(command)).addObjects((Object[]) arguments));
    }

    /** How many connections the server was ever asked for. */
    static long connectionsMade(RedisClient client) {
        return client.info("stats")
                .lines()
                .filter(line -> line.startsWith(MADE))
                .mapToLong(line -> Long.parseLong(line.substring(MADE.length())))
                .sum();
    }
}
