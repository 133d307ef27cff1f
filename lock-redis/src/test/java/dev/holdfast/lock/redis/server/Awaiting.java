package dev.holdfast.lock.redis.server;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Waits for what a test needs, and gives up only when something must have gone wrong. */
public final class Awaiting {

    static final int LIMIT_MILLIS = 60_000;

    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS);

    private Awaiting() {}

    /** Waits until it is so. */
    public static void until(String what, Callable<Boolean> condition) {
        long start = System.nanoTime();
        while (!isSo(condition)) {
            if (System.nanoTime() - start > LIMIT_NANOS) {
                throw new AssertionError("not within a minute: " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** Whether the server has read its data and speaks to clients, be it to say that this one may not ask. */
    static boolean answers(RedisServer server) {
        return answers(server, client -> client.ping().equals("PONG"));
    }

    /** The same, and the one that answers is this process: for a moment somebody else's may have its port. */
    static boolean answers(RedisServer server, long process) {
        return answers(
                server,
                client -> client.ping().equals("PONG") // which it does not say while it reads its data
                        && client.info("server").contains("process_id:" + process + "\r"));
    }

    private static boolean answers(RedisServer server, Predicate<RedisClient> question) {
        try (RedisClient client = server.client()) {
            return question.test(client);
        } catch (JedisAccessControlException e) {
            return true;
        } catch (JedisConnectionException e) {
            return false;
        } catch (JedisDataException e) {
            if (e.getMessage().startsWith("LOADING")) {
                return false;
            }
            throw e;
        }
    }

    private static boolean isSo(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
