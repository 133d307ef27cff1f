/** What only Holdfast is asked. */
package dev.holdfast.lock.bench.scenario;
