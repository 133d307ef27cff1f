package dev.holdfast.lock.redis.testserver;

import dev.holdfast.lock.testing.Await;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Waits for servers. */
public final class Awaiting {

    static final int LIMIT_MILLIS = 60_000;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private Awaiting() {}

    /** Waits until a condition is true. */
    public static void until(String what, Callable<Boolean> condition) {
        Await.until(what, condition);
    }

    /** The same for a condition of several servers, which takes a while, and each look at which costs many questions. */
    static void untilAll(String what, Callable<Boolean> condition) {
        Await.until(what, () -> {
            if (condition.call()) {
                return true;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            return false;
        });
    }

    /** Whether the server has read its data and speaks to clients, be it to say that this one may not ask. */
    static boolean answers(RedisServer server) {
        return answers(server, "process_id:");
    }

    /** The same, and the one that answers is this process: for a moment that of another test may have its port. */
    static boolean answers(RedisServer server, long process) {
        return answers(server, "process_id:" + process + "\r");
    }

    private static boolean answers(RedisServer server, String fact) {
        try {
            ServerQuery.ask(server, Command.PING); // which it refuses while it reads its data
            return ((String) ServerQuery.ask(server, Command.INFO, "server")).contains(fact);
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
}
