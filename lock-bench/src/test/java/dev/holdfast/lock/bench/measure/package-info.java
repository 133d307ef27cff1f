/** What is measured, and how. */
package dev.holdfast.lock.bench.measure;
