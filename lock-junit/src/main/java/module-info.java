/** Locks for the tests of an application: busy, lost or unreachable on demand. */
module dev.holdfast.lock.junit {
    requires static transitive org.jspecify;
    requires transitive dev.holdfast.lock;
    requires transitive org.junit.jupiter.api;

    exports dev.holdfast.lock.junit;
}
