/** What Holdfast costs by itself. */
package dev.holdfast.lock.bench.alone;
