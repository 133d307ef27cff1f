package dev.holdfast.lock.redis.testserver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.SafeEncoder;

/** Asks a server about itself, on a separate connection. */
final class ServerQuery {

    private static final int SOON_MILLIS = 10_000;

    private ServerQuery() {}

    /** The answer: texts, numbers and lists of them. */
    static Object ask(RedisServer server, Command command, String... arguments) {
        return ask(server, Awaiting.LIMIT_MILLIS, command, arguments);
    }

    /** The answer, if there soon is one: the server may be down. */
    static Optional<Object> tryAsk(RedisServer server, Command command, String... arguments) {
        try {
            return Optional.ofNullable(ask(server, SOON_MILLIS, command, arguments));
        } catch (JedisConnectionException e) {
            return Optional.empty();
        }
    }

    private static Object ask(RedisServer server, int limitMillis, Command command, String... arguments) {
        DefaultJedisClientConfig config = DefaultJedisClientConfig.builder()
                .from(server.clientConfig())
                .timeoutMillis(limitMillis)
                .resp2()
                .build();
        try (Connection connection = new Connection(new HostAndPort("127.0.0.1", server.port()), config)) {
            connection.sendCommand(command, arguments);
            return SafeEncoder.encodeObject(connection.getOne());
        }
    }

    /** A reply of lines {@code name:value}; empty if the server is down. */
    static Map<String, String> facts(RedisServer server, Command command, String section) {
        Map<String, String> facts = new HashMap<>();
        tryAsk(server, command, section)
                .ifPresent(answer -> ((String) answer)
                        .lines()
                        .map(line -> line.split(":", 2))
                        .filter(fact -> fact.length == 2)
                        .forEach(fact -> facts.put(fact[0], fact[1].strip())));
        return facts;
    }

    /** A list of names and values in turn. */
    static Map<String, String> pairs(Object answer) {
        List<?> list = (List<?>) answer;
        Map<String, String> pairs = new HashMap<>();
        for (int i = 0; i < list.size(); i += 2) {
            pairs.put((String) list.get(i), (String) list.get(i + 1));
        }
        return pairs;
    }
}
