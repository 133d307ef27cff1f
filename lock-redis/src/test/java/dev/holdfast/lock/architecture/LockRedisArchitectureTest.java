package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.holdfast.lock.redis.RedisLockStore;
import org.junit.jupiter.api.Test;

/** The direction between the packages of lock-redis. */
class LockRedisArchitectureTest {

    private static final String REDIS = "dev.holdfast.lock.redis";

    @Test
    void packages_ofLockRedis_dependInOneDirection() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("store")
                .definedBy(REDIS)
                .layer("doctor")
                .definedBy(REDIS + ".doctor")
                .layer("client")
                .definedBy(REDIS + ".client")
                .layer("script")
                .definedBy(REDIS + ".script")
                .whereLayer("store")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("doctor")
                .mayOnlyBeAccessedByLayers("store")
                .whereLayer("client")
                .mayOnlyBeAccessedByLayers("store", "doctor")
                .whereLayer("script")
                .mayOnlyBeAccessedByLayers("store", "doctor", "client")
                .check(new ClassFileImporter()
                        .importUrl(RedisLockStore.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()));
    }
}
