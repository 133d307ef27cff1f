/** Holdfast in a Spring application: the {@code @Locked} annotation, its interceptor, and the lease of the running method. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring;
