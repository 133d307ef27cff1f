/** Spring Boot's auto-configuration of Holdfast: beans and their settings. No locking of its own. */
@NullMarked
package dev.holdfast.lock.spring.boot;

import org.jspecify.annotations.NullMarked;
