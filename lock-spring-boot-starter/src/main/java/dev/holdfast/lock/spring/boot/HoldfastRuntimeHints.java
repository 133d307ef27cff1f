package dev.holdfast.lock.spring.boot;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** The content of an application's native image besides the classes: scripts, statements and services. */
final class HoldfastRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources()
                .registerPattern("META-INF/services/dev.holdfast.lock.spi.LockProvider")
                .registerPattern("dev/holdfast/lock/fencing/**")
                .registerPattern("dev/holdfast/lock/jdbc/**")
                .registerPattern("dev/holdfast/lock/redis/script/**");
        for (String provider : new String[] {
            "dev.holdfast.lock.memory.MemoryLockProvider",
            "dev.holdfast.lock.jdbc.JdbcLockProvider",
            "dev.holdfast.lock.redis.RedisLockProvider",
            "dev.holdfast.lock.composite.CompositeLockProvider",
            // The driver of PostgreSQL instantiates it by name.
            "dev.holdfast.lock.jdbc.postgresql.driver.LowLatencySocketFactory"
        }) {
            hints.reflection().registerTypeIfPresent(classLoader, provider, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
        }
        // The #root of the expressions of @Locked.
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader, "dev.holdfast.lock.spring.LockedCall", MemberCategory.INVOKE_PUBLIC_METHODS);
        // The one connection with which Flyway creates the tables.
        hints.proxies().registerJdkProxy(TypeReference.of(Connection.class));
        // The stand-ins for a store that did not answer at the start.
        DeferredLocks.STAND_INS.forEach(standIn -> hints.proxies().registerJdkProxy(standIn));
    }
}
