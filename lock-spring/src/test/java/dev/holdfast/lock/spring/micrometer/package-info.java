/** The metrics count what happened, do not grow with the names of locks, and are those that the dashboard and the alerts name. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.micrometer;
