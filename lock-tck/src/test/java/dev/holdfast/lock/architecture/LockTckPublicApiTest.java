package dev.holdfast.lock.architecture;

import dev.holdfast.lock.tck.LockStoreContract;
import java.nio.file.Path;

/** Of the kit. */
class LockTckPublicApiTest extends PublicApiRules {

    LockTckPublicApiTest() {
        super(LockStoreContract.class, Path.of(""));
    }

    /** A rule has its demand and its advice. */
    @Override
    protected boolean describesItself(String place) {
        return place.startsWith("Rule.java:");
    }
}
