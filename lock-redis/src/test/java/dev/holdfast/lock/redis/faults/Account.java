package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.util.List;
import redis.clients.jedis.RedisClient;

/** An ACL user that only one store uses, to tell its connections from all others. */
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
