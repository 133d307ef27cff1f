/** What the starters of Spring Boot 3 and 4 have in common beside the auto-configuration; no class of Boot that only one of them has. */
@NullMarked
package dev.holdfast.lock.spring.boot.internal;

import org.jspecify.annotations.NullMarked;
