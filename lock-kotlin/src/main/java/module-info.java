/** Locks in Kotlin's coroutines. */
module dev.holdfast.lock.kotlin {
    requires transitive dev.holdfast.lock;
    requires transitive kotlin.stdlib;
    requires transitive kotlinx.coroutines.core;
    requires static transitive org.jspecify;

    exports dev.holdfast.lock.kotlin;
}
