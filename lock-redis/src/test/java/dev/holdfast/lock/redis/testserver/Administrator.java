package dev.holdfast.lock.redis.testserver;

import java.util.stream.Stream;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.SafeEncoder;

/** Administrative commands to a server. */
public final class Administrator {

    private static final String MADE = "total_connections_received:";

    private Administrator() {}

    /** Carries out a command. CLIENT KILL spares the connection that sends it. */
    public static void order(RedisClient client, String command, String... arguments) {
        Object unused =
                client.executeCommand(new CommandArguments(Command.valueOf(command)).addObjects((Object[]) arguments));
    }

    /** A line for each connection that the server has, of which there may be some kind only. */
    public static Stream<String> clients(RedisClient client, String... which) {
        CommandArguments list = new CommandArguments(Command.CLIENT).add("LIST").addObjects((Object[]) which);
        return SafeEncoder.encode((byte[]) client.executeCommand(list)).lines();
    }

    /** How many connections the server has received since its start. */
    public static long connectionsMade(RedisClient client) {
        return client.info("stats")
                .lines()
                .filter(line -> line.startsWith(MADE))
                .mapToLong(line -> Long.parseLong(line.substring(MADE.length())))
                .sum();
    }
}
