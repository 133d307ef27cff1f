/** That what is measured does lock. */
package dev.holdfast.lock.bench.peer;
