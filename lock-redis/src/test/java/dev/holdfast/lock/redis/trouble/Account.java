package dev.holdfast.lock.redis.trouble;

import dev.holdfast.lock.redis.server.RedisServer;
import java.util.List;
import redis.clients.jedis.RedisClient;

/** A user that nobody else is, by whom the connections of one store can be told from all others. */
final class Account {

    static final String NAME = "application";
    static final String PASSWORD = "secret";

    private Account() {}

    /** The directive by which there is such a user. */
    static String directive() {
        return "user " + NAME + " on >" + PASSWORD + " ~* &* +@all";
    }

    /** An address, for this user. */
    static String in(String uri) {
        return uri.replaceFirst("://", "://" + NAME + ":" + PASSWORD + "@");
    }

    /** How many connections of this user these servers have. */
    static long connections(List<RedisServer> servers) {
        long connections = 0;
        for (RedisServer server : servers) {
            try (RedisClient admin = server.client()) {
                connections += Administrator.clients(admin)
                        .filter(client -> client.contains(" user=" + NAME + " "))
                        .count();
            }
        }
        return connections;
    }
}
