/** The common parts of the starters of Spring Boot 3 and 4 besides the auto-configuration; uses no class that only one Boot has. */
@NullMarked
package dev.holdfast.lock.spring.boot.internal;

import org.jspecify.annotations.NullMarked;
