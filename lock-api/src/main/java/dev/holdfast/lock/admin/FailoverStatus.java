package dev.holdfast.lock.admin;

import java.time.Duration;
import java.time.Instant;

/**
 * The state of a composite of two stores, as recorded by its authority.
 *
 * @param primary the provider of the primary store
 * @param fallback the provider of the fallback store, which is the authority
 * @param active the provider of the store that grants, or {@code none} during a change
 * @param epoch the number of the present term
 * @param since the start of the present phase, by the authority's clock
 * @param cause the reason for the last change
 * @param authorityLease how long a process may act on an answer of the authority
 * @param members the number of processes that have recently read the authority
 * @param suspecting the number of those that cannot reach the primary
 * @param tokenFloor at least the greatest token of any store so far: the value of {@code lock.token-floor} for leaving the
 *     composite for one of its stores
 */
public record FailoverStatus(
        String primary,
        String fallback,
        String active,
        long epoch,
        Instant since,
        String cause,
        Duration authorityLease,
        int members,
        int suspecting,
        long tokenFloor) {}
