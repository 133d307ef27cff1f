/** The lock registry behaves as Spring Integration's own registries do, and a leader elected with it is the only one. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.integration;
