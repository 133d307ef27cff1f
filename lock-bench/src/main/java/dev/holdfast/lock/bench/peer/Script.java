package dev.holdfast.lock.bench.peer;

import redis.clients.jedis.RedisClient;

/** A Lua script that the server has loaded and is called by its digest. */
final class Script {

    /** Removes the key, if this value is its: 1, or else 0. */
    private static final String COMPARE_AND_DELETE = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then
                return redis.call('DEL', KEYS[1])
            end
            return 0
            """;

    private final RedisClient redis;
    private final String digest;

    Script(RedisClient redis, String text) {
        this.redis = redis;
        this.digest = redis.scriptLoad(text);
    }

    /** The release of a lock whose value is its holder's. */
    static Script compareAndDelete(RedisClient redis) {
        return new Script(redis, COMPARE_AND_DELETE);
    }

    /** What it returns for this key and these arguments. */
    long call(String key, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = key;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return (Long) redis.evalsha(digest, 1, all);
    }

    /** What gives back a lock that is this key's with this value; tells if it was lost. */
    Peer.Held holding(String key, String value) {
        return () -> {
            if (call(key, value) == 0) {
                throw new IllegalStateException("lost before its release: " + key);
            }
        };
    }
}
