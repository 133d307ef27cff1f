/** Whether servers are fit for locks: what must be, before a store is handed out, and what weakens a promise. */
@NullMarked
package dev.holdfast.lock.redis.examination;

import org.jspecify.annotations.NullMarked;
