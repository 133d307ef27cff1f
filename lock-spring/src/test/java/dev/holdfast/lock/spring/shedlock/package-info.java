/** The lock provider keeps ShedLock's contract, with ShedLock's own executor, extender and annotation. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.shedlock;
