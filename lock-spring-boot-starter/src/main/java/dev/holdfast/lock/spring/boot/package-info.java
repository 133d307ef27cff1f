/** Spring Boot's auto-configuration of Holdfast. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot;
