/** The fencing token at work on a real table, as {@code docs/fencing.md} shows it. */
package dev.holdfast.lock.jdbc.fencing;
