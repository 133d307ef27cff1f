package dev.holdfast.lock.architecture;

import dev.holdfast.lock.reactor.ReactorLock;
import java.nio.file.Path;

/** Compares the public API of lock-reactor with public-api.txt. */
class LockReactorPublicApiTest extends PublicApiRules {

    LockReactorPublicApiTest() {
        super(ReactorLock.class, Path.of(""));
    }
}
