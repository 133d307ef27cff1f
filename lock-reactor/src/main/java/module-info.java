/** Locks around Reactor's publishers. */
module dev.holdfast.lock.reactor {
    requires transitive dev.holdfast.lock;
    requires transitive org.reactivestreams;
    requires transitive reactor.core;
    requires static transitive org.jspecify;

    exports dev.holdfast.lock.reactor;
}
