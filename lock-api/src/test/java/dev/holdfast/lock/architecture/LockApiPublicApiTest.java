package dev.holdfast.lock.architecture;

import dev.holdfast.lock.Locks;
import java.nio.file.Path;

/** Of lock-api. */
class LockApiPublicApiTest extends PublicApiRules {

    LockApiPublicApiTest() {
        super(Locks.class, Path.of(""));
    }
}
