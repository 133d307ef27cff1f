import dev.holdfast.lock.composite.CompositeLockProvider;
import dev.holdfast.lock.spi.LockProvider;

/** Locks on a fast store that may lose data, under the authority of a database that does not. */
module dev.holdfast.lock.composite {
    requires transitive dev.holdfast.lock;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.holdfast.lock.composite;

    provides LockProvider with
            CompositeLockProvider;
}
