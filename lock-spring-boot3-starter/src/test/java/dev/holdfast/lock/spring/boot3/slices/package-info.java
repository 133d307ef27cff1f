/** An application on Boot 3, and tests of a part of it as Boot 3 makes them. */
package dev.holdfast.lock.spring.boot3.slices;
