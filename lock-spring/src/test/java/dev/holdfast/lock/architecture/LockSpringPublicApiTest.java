package dev.holdfast.lock.architecture;

import dev.holdfast.lock.spring.Locked;
import java.nio.file.Path;
import java.util.List;

/** Of lock-spring. */
class LockSpringPublicApiTest extends PublicApiRules {

    LockSpringPublicApiTest() {
        super(
                Locked.class,
                List.of(
                        "dev.holdfast.lock.spring",
                        "dev.holdfast.lock.spring.integration",
                        "dev.holdfast.lock.spring.micrometer",
                        "dev.holdfast.lock.spring.shedlock"),
                Path.of(""));
    }
}
