/** The contract of a store as tests to extend, and the in-memory store that is its reference. */
module dev.holdfast.lock.tck {
    requires static transitive org.jspecify;
    requires transitive dev.holdfast.lock;
    requires transitive org.junit.jupiter.api;

    exports dev.holdfast.lock.memory;
    exports dev.holdfast.lock.tck;
    exports dev.holdfast.lock.tck.faults;

    opens dev.holdfast.lock.tck to
            org.junit.platform.commons;

    provides dev.holdfast.lock.spi.LockProvider with
            dev.holdfast.lock.memory.MemoryLockProvider;
}
