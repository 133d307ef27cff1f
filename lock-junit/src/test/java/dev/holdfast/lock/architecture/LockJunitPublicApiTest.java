package dev.holdfast.lock.architecture;

import dev.holdfast.lock.junit.TestLocks;
import java.nio.file.Path;

/** Of the locks for tests. */
class LockJunitPublicApiTest extends PublicApiRules {

    LockJunitPublicApiTest() {
        super(TestLocks.class, Path.of(""));
    }
}
