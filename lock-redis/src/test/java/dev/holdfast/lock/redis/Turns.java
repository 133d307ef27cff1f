package dev.holdfast.lock.redis;

import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** For how long a free lock is kept for the first in its queue: so that no test depends on how soon it asks. */
public final class Turns {

    /** A time that does not come, in ms. */
    private static final String FAR = Long.toString(1L << 50);

    private Turns() {}

    /** The present turn of a lock, if there is one, does not pass by itself; one that begins later does. */
    public static void keep(RedisClient admin, String bucket, String name) {
        admin.set(bucket + "turn:" + name, FAR, SetParams.setParams().xx().keepTtl());
    }
}
