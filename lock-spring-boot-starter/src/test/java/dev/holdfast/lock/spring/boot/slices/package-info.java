/** An application that has the starter, and tests of a part of it as Boot makes them. */
package dev.holdfast.lock.spring.boot.slices;
