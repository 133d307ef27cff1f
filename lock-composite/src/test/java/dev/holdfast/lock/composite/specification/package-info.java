/** The protocol, as {@code src/spec/Failover.tla} has it, under a model checker. */
package dev.holdfast.lock.composite.specification;
