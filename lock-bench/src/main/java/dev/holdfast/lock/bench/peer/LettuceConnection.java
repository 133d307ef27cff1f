package dev.holdfast.lock.bench.peer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring Data's way to Redis: one connection of Lettuce that all threads share. */
final class LettuceConnection {

    /** For descriptions of a configuration. */
    static final String STATED = "Spring Data Redis on Lettuce's one shared connection";

    private LettuceConnection() {}

    static LettuceConnectionFactory open(Place place) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", place.redisPort()));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }
}
