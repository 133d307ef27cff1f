/** The fencing token at work on a real table, as the README shows it. */
package dev.holdfast.lock.jdbc.fencing;
