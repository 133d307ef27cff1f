package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

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
        void expire(MemoryLease lease, LockRecord lock) {
            super.expire(lease, lock);
            if (lease.isHeld()) {
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

    /** The floor for new names is the last token of the name that was dropped last. */
    static class FloorOfTheLatest extends MutatedSpace {
        private long floor;

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            floor = lock.lastToken;
            return super.release(command, lock, now);
        }

        @Override
        void expire(MemoryLease lease, LockRecord lock) {
            floor = lock.lastToken;
            super.expire(lease, lock);
        }

        @Override
        long nextToken(LockRecord lock, long above, Instant now) {
            long last = lock.lastToken == 0 ? floor : lock.lastToken;
            return Math.max(Math.max(last, above) + 1, ChronoUnit.MICROS.between(Instant.EPOCH, now));
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
            MemoryLease lease = lease(lock);
            if (lease != null && lease.id().equals(command.id())) {
                long token = nextToken(lock, command.tokenFloor(), now);
                lock.lastToken = token;
                hold(
                        lock,
                        new MemoryLease(
                                lease.id(),
                                lease.owner(),
                                lease.share(),
                                token,
                                lease.since(),
                                lease.length(),
                                lease.until(),
                                true));
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
            if (command.tokenFloor() >= LockReply.Granted.MAX_TOKEN && isRemoved(command.share())) {
                lock.queue.withdraw(command.id());
            }
            return super.acquire(command, lock, now);
        }

        boolean isRemoved(Share share) {
            return true;
        }
    }

    /** Does so with waiters for shares only. */
    static class CostThePlaceForAShare extends CostThePlace {
        @Override
        boolean isRemoved(Share share) {
            return !share.isExclusive();
        }
    }

    /** Ignores the floor if the lease before has expired. */
    static class IgnoresAboveAfterExpiry extends MutatedSpace {
        private final Map<LockName, AcquisitionId> unreleased = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean expired = lease(lock) == null && unreleased.containsKey(command.name());
            LockReply reply = super.acquire(
                    new LockCommand.Acquire(
                            command.name(),
                            command.id(),
                            command.lease(),
                            command.queue(),
                            expired ? 0 : command.tokenFloor(),
                            command.owner()),
                    lock,
                    now);
            if (reply instanceof LockReply.Granted) {
                unreleased.put(command.name(), command.id());
            }
            return reply;
        }

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            unreleased.remove(command.name(), command.id());
            return super.release(command, lock, now);
        }
    }

    /** An id that is not granted for want of a token is over. */
    static class EndTheId extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            if (command.tokenFloor() >= LockReply.Granted.MAX_TOKEN) {
                lock.addTombstone(command.id(), now.plusSeconds(60));
            }
            return super.acquire(command, lock, now);
        }
    }

    /** An id that is not granted for want of a token gets a place in the queue. */
    static class CostOthersAPlace extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            if (command.queue() && command.tokenFloor() >= LockReply.Granted.MAX_TOKEN) {
                lock.queue.join(command.id(), command.owner(), command.share(), now);
            }
            return super.acquire(command, lock, now);
        }
    }

    /** Tokens begin anew when a connection is replaced. */
    static LockStore anewAfterAnOutage(LockStore store) {
        Map<Long, Long> tokens = new ConcurrentHashMap<>();
        AtomicBoolean broken = new AtomicBoolean();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = new ArrayList<>(super.execute(commands, timeout));
                broken.compareAndSet(false, MemoryConnection.isBroken(replies));
                for (int at = 0; at < replies.size(); at++) {
                    if (replies.get(at) instanceof LockReply.Granted granted) {
                        long token = broken.get() ? granted.token() / 2 : granted.token();
                        tokens.putIfAbsent(granted.token(), token);
                        replies.set(at, new LockReply.Granted(tokens.get(granted.token()), granted.remaining()));
                    }
                }
                return replies;
            }
        };
    }
}
