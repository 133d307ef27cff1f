package dev.holdfast.lock.architecture;

import dev.holdfast.lock.composite.CompositeLockProvider;
import java.nio.file.Path;

/** Compares the public API of lock-composite with public-api.txt. */
class LockCompositePublicApiTest extends PublicApiRules {

    LockCompositePublicApiTest() {
        super(CompositeLockProvider.class, Path.of(""));
    }
}
