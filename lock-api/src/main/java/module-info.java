/** The lock an application uses, the contract a store fulfils, the engine between them, and a store in memory for tests. */
@SuppressWarnings("module") // the modules that a package is exported to are built after this one
module dev.holdfast.lock {
    requires static transitive java.sql; // of the fence, which an application without a database does not load
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports dev.holdfast.lock;
    exports dev.holdfast.lock.admin;
    exports dev.holdfast.lock.fencing;
    exports dev.holdfast.lock.memory;
    exports dev.holdfast.lock.spi;
    exports dev.holdfast.lock.spi.support;
    exports dev.holdfast.lock.spi.environment to
            dev.holdfast.lock.composite;
    exports dev.holdfast.lock.spi.failover to
            dev.holdfast.lock.composite,
            dev.holdfast.lock.jdbc,
            dev.holdfast.lock.redis,
            dev.holdfast.lock.tck;
    exports dev.holdfast.lock.spi.time to
            dev.holdfast.lock.composite,
            dev.holdfast.lock.jdbc,
            dev.holdfast.lock.redis,
            dev.holdfast.lock.tck;
    exports dev.holdfast.lock.internal.config to
            dev.holdfast.lock.junit,
            dev.holdfast.lock.tck;

    uses dev.holdfast.lock.spi.LockProvider;

    provides dev.holdfast.lock.spi.LockProvider with
            dev.holdfast.lock.memory.MemoryLockProvider;
}
