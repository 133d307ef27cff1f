package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/** Mutants whose tokens do not increase. */
final class MutatedTokens {

    private MutatedTokens() {}

    static class SameForEver extends MutatedSpace {
        private long last = 1;

        @Override
        long nextToken(LockRecord lock, long above, Instant now) {
            last = Math.max(last, above + 1);
            return last;
        }
    }

    /** The expiry of a lease deletes the counter. */
    static class SameAfterExpiry extends MutatedSpace {
        private final Map<LockRecord, Long> expired = new HashMap<>();

        @Override
        void expireLease(LockRecord lock, Instant now) {
            MemoryLease lease = lock.lease;
            super.expireLease(lock, now);
            if (lease != null && lock.lease == null) {
                expired.put(lock, lease.token());
            }
        }

        @Override
        long nextToken(LockRecord lock, long above, Instant now) {
            Long again = expired.get(lock);
            return again == null ? super.nextToken(lock, above, now) : Math.max(again, above + 1);
        }
    }

    /** A counter that can be reset. */
    private abstract static class Counter extends MutatedSpace {
        private volatile long last;

        @Override
        long nextToken(LockRecord lock, long above, Instant now) {
            long next = Math.max(last, above) + 1;
            if (next <= LockReply.Granted.MAX_TOKEN) {
                last = next;
            }
            return next;
        }

        void startAnew() {
            last = 0;
        }
    }

    static class AnewWhenOpened extends Counter {
        @Override
        public LockStore open() {
            startAnew();
            return super.open();
        }
    }

    static class AnewAfterRestart extends Counter {
        @Override
        void restarted() {
            startAnew();
        }
    }

    static class AnewAfterPruning extends Counter {
        @Override
        void pruned() {
            startAnew();
        }
    }

    /** The clock is the token, which increases only within a second. */
    static class TrustsTheClock extends MutatedSpace {
        private static final long SECOND = 1_000_000;
        private long last;

        @Override
        long nextToken(LockRecord lock, long above, Instant now) {
            long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
            boolean sameInstant = last >= micros && last - micros < SECOND;
            last = Math.max(sameInstant ? last + 1 : micros, above + 1);
            return last;
        }
    }

    static class IgnoresAbove extends MutatedSpace {
        @Override
        long nextToken(LockRecord lock, long above, Instant now) {
            return super.nextToken(lock, 0, now);
        }
    }

    static class NewOnRepeat extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            MemoryLease lease = lock.lease;
            if (lease != null && lease.id().equals(command.id())) {
                long token = nextToken(lock, command.tokenFloor(), now);
                lock.lastToken = token;
                lock.lease =
                        new MemoryLease(lease.id(), lease.owner(), token, lease.since(), lease.length(), lease.until());
            }
            return super.acquire(command, lock, now);
        }
    }

    /** Grants the greatest token again and again. */
    static class Capped extends MutatedSpace {
        @Override
        long nextToken(LockRecord lock, long above, Instant now) {
            return Math.min(super.nextToken(lock, above, now), LockReply.Granted.MAX_TOKEN);
        }
    }

    /** Removes a waiter that is not granted for want of a token. */
    static class CostThePlace extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            if (command.tokenFloor() >= LockReply.Granted.MAX_TOKEN) {
                lock.queue.withdraw(command.id());
            }
            return super.acquire(command, lock, now);
        }
    }
}
