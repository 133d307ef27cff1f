package dev.holdfast.lock.architecture;

import dev.holdfast.lock.kotlin.SuspendingLocks;
import java.nio.file.Path;

/** Compares the public API of lock-kotlin with public-api.txt. */
class LockKotlinPublicApiTest extends PublicApiRules {

    LockKotlinPublicApiTest() {
        super(SuspendingLocks.class, Path.of(""));
    }
}
