/** The uses of Spring Boot 3's classes that Boot 4 has moved; everything else is in the starter of Boot 4. */
@NullMarked
package dev.holdfast.lock.spring.boot3;

import org.jspecify.annotations.NullMarked;
