package dev.holdfast.lock.admin;

import java.time.Duration;
import java.time.Instant;

/**
 * Who grants, in a composite of two stores, as its authority says.
 *
 * @param primary the provider of the fast store
 * @param fallback the provider of the store that is the authority
 * @param grants which of them grants; or {@code nobody}, while that is changing
 * @param epoch counts the changes of that
 * @param since since when it is so, by the authority's clock
 * @param cause why it is so
 * @param regimeLease for how long a process may act upon what the authority said
 * @param members how many processes asked the authority lately
 * @param suspecting how many of them cannot reach the primary
 * @param tokenFloor no token of a store was ever greater: what {@code lock.token.floor} has to be for who leaves the composite for
 *     one of its stores
 */
public record RegimeStatus(
        String primary,
        String fallback,
        String grants,
        long epoch,
        Instant since,
        String cause,
        Duration regimeLease,
        int members,
        int suspecting,
        long tokenFloor) {}
