package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.config.Keys;
import dev.holdfast.lock.internal.config.Sources;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import redis.clients.jedis.UnifiedJedis;

/** Stores, opened from settings as an application's would be, with limits that end a hang only: a machine may stand still. */
public final class TestStores {

    /** How long connecting, a call and with them opening may take. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private TestStores() {}

    /**
     * The settings of an application, but for the time that connecting may take.
     *
     * @param more keys and values in turn
     */
    public static Properties settings(String uri, String... more) {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "redis");
        settings.setProperty("lock.redis.uri", uri);
        settings.setProperty("lock.redis.timeout", DurationText.format(LIMIT));
        for (int at = 0; at < more.length; at += 2) {
            settings.setProperty(more[at], more[at + 1]);
        }
        return settings;
    }

    /** @param more keys and values in turn */
    public static LockStore store(String uri, String... more) {
        return store(new Namespace("test"), uri, more);
    }

    /** @param more keys and values in turn */
    public static LockStore store(Namespace namespace, String uri, String... more) {
        return new RedisLockProvider().open(namespace, config(uri, more));
    }

    /** A store on the application's own client. */
    public static RedisLockStore on(UnifiedJedis client, Namespace namespace) {
        return RedisLockStore.of(client, namespace, Deadline.in(LIMIT));
    }

    /**
     * A store on a composite's behalf.
     *
     * @param more keys and values in turn
     */
    public static PrimaryStore primary(String uri, String... more) {
        return new RedisLockProvider()
                .primary(new Namespace("test"), config(uri, more))
                .get();
    }

    private static Config config(String uri, String... more) {
        Properties settings = settings(uri, more);
        settings.putIfAbsent("lock.lease", "1h");
        settings.putIfAbsent("lock.call-timeout", DurationText.format(LIMIT));
        settings.remove("lock.provider"); // which is no key of the provider's
        return new Sources(Path.of("."), Map.of(), new Properties())
                .settings(settings, "test", new Keys(new RedisLockProvider().keys()));
    }
}
