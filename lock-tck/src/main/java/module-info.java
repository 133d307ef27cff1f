/** The conformance kit: the contract of a store as tests to extend. */
module dev.holdfast.lock.tck {
    requires static org.junit.platform.launcher;
    requires static transitive org.jspecify;
    requires transitive dev.holdfast.lock;
    requires transitive org.junit.jupiter.api;
    requires java.instrument;
    requires org.objectweb.asm;

    exports dev.holdfast.lock.tck;
    exports dev.holdfast.lock.tck.faults;

    opens dev.holdfast.lock.tck to
            org.junit.platform.commons;
}
