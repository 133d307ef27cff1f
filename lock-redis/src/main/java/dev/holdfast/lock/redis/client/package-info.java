/**
 * The connections to standalone servers, Sentinel and Cluster: opening, lending, deadlines, redirections and failures. What the
 * calls mean is the business of the scripts, which this package only sends.
 */
@NullMarked
package dev.holdfast.lock.redis.client;

import org.jspecify.annotations.NullMarked;
