package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.LockedConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * Makes {@code @Locked} effective, even if {@code holdfast.enabled} is false: a locked method without locks fails the start, and
 * never runs unprotected.
 */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@Import(LockedConfiguration.class)
public final class HoldfastLockedAutoConfiguration {

    /** For Spring. */
    HoldfastLockedAutoConfiguration() {}
}
