package dev.holdfast.lock.cli.top;

import dev.holdfast.lock.spi.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The orders of the locks on the page; equal ones stay in the order of their names. */
public enum TopOrder {
    /** By name. */
    NAME('n') {
        @Override
        Comparator<LockInfo> comparator(Renewals renewals) {
            return Comparator.comparing(lock -> 0);
        }
    },
    /** The longest held first. */
    AGE('a') {
        @Override
        Comparator<LockInfo> comparator(Renewals renewals) {
            return Comparator.comparing(lock -> lock.holders().stream()
                    .map(LockInfo.Holder::since)
                    .min(Comparator.naturalOrder())
                    .orElse(Instant.MAX));
        }
    },
    /** Those that end next first. */
    LEFT('l') {
        @Override
        Comparator<LockInfo> comparator(Renewals renewals) {
            return Comparator.comparing(lock -> lock.holders().stream()
                    .map(LockInfo.Holder::until)
                    .min(Comparator.naturalOrder())
                    .or(lock::minimumHoldUntil)
                    .orElse(Instant.MAX));
        }
    },
    /** Those with the most waiters first. */
    WAITERS('w') {
        @Override
        Comparator<LockInfo> comparator(Renewals renewals) {
            return Comparator.comparing(lock -> -lock.waiters().size());
        }
    },
    /** The longest without a renewal first. */
    RENEWED('r') {
        @Override
        Comparator<LockInfo> comparator(Renewals renewals) {
            return Comparator.comparing(lock -> lock.holders().stream()
                    .map(renewals::behind)
                    .flatMap(Optional::stream)
                    .max(Comparator.naturalOrder())
                    .orElse(Duration.ZERO)
                    .negated());
        }
    };

    private final char key;

    TopOrder(char key) {
        this.key = key;
    }

    /** The key that selects it. */
    public char key() {
        return key;
    }

    abstract Comparator<LockInfo> comparator(Renewals renewals);

    /** The locks in this order. */
    List<LockInfo> sorted(List<LockInfo> locks, Renewals renewals) {
        return locks.stream().sorted(comparator(renewals)).toList();
    }
}
