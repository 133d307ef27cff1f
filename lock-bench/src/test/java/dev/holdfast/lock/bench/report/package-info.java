/** What is made of it. */
package dev.holdfast.lock.bench.report;
