/** The store on rows with a clock of a test's. */
package dev.holdfast.lock.jdbc.row;
