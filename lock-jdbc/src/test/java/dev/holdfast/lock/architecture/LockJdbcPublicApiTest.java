package dev.holdfast.lock.architecture;

import dev.holdfast.lock.jdbc.JdbcLockStore;
import java.nio.file.Path;

/** Compares the public API of lock-jdbc with public-api.txt. */
class LockJdbcPublicApiTest extends PublicApiRules {

    LockJdbcPublicApiTest() {
        super(JdbcLockStore.class, Path.of(""));
    }
}
