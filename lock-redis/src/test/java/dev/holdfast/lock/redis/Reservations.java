package dev.holdfast.lock.redis;

import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** Extends the claim window of a free lock, so that no test depends on how soon the first waiter asks. */
public final class Reservations {

    /** A time that does not come, in ms. */
    private static final String FAR = Long.toString(1L << 50);

    private Reservations() {}

    /** The present turn of a lock, if there is one, does not pass by itself; one that begins later does. */
    public static void keep(RedisClient admin, String bucket, String name) {
        admin.set(
                bucket + "reservation:" + name, FAR, SetParams.setParams().xx().keepTtl());
    }
}
