package dev.holdfast.lock.architecture;

import dev.holdfast.lock.jdbc.JdbcLockStore;
import java.nio.file.Path;

/** Of lock-jdbc. */
class LockJdbcPublicApiTest extends PublicApiRules {

    LockJdbcPublicApiTest() {
        super(JdbcLockStore.class, Path.of(""));
    }
}
