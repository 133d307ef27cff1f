/** What is measured within a process. */
package dev.holdfast.lock.bench.inprocess;
