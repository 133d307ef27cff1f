/** What the demo shows. */
package dev.holdfast.lock.bench.demo;
