package dev.holdfast.lock.redis.waiting;

import java.net.URI;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.JedisURIHelper;

/**
 * What many have made themselves: SETNX with the time when the lock expires, GETSET to take over one that has expired, and
 * sleep between two tries. The clocks of the clients decide.
 */
@SuppressWarnings("deprecation") // of these commands it was made
final class SleepingLock implements Contestant {

    private static final String KEY = "goods";
    private static final long HOLDING_LIMIT_MILLIS = 60_000;
    private static final long WAITING_LIMIT_MILLIS = 600_000;

    private final RedisClient client;
    private final int sleepMillis;

    SleepingLock(String uri, int sleepMillis) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(POOL);
        pool.setMaxIdle(POOL);
        this.client = RedisClient.builder()
                .hostAndPort(JedisURIHelper.getHostAndPort(URI.create(uri)))
                .poolConfig(pool)
                .build();
        this.sleepMillis = sleepMillis;
    }

    @Override
    public void once(Runnable section) throws InterruptedException {
        long expires = acquire();
        try {
            section.run();
        } finally {
            if (System.currentTimeMillis() < expires) {
                client.del(KEY);
            }
        }
    }

    private long acquire() throws InterruptedException {
        long limit = System.currentTimeMillis() + WAITING_LIMIT_MILLIS;
        while (System.currentTimeMillis() < limit) {
            long expires = System.currentTimeMillis() + HOLDING_LIMIT_MILLIS;
            if (client.setnx(KEY, Long.toString(expires)) == 1 || takesOver(expires)) {
                return expires;
            }
            Thread.sleep(sleepMillis);
        }
        throw new IllegalStateException("waited too long");
    }

    private boolean takesOver(long expires) {
        String present = client.get(KEY);
        return present != null
                && Long.parseLong(present) < System.currentTimeMillis()
                && present.equals(client.getSet(KEY, Long.toString(expires)));
    }

    @Override
    public void close() {
        client.close();
    }
}
