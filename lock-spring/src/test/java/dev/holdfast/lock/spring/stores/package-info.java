/** The servers and stores that the tests of this module share. Nothing is tested here. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.stores;
