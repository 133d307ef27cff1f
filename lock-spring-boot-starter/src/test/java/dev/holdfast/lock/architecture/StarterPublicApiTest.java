package dev.holdfast.lock.architecture;

import dev.holdfast.lock.spring.boot.HoldfastAutoConfiguration;
import java.nio.file.Path;
import java.util.List;

/** Of the starter. */
class StarterPublicApiTest extends PublicApiRules {

    StarterPublicApiTest() {
        super(HoldfastAutoConfiguration.class, List.of("dev.holdfast.lock.spring.boot"), Path.of(""));
    }
}
