package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Mutants that are made for fewer waiters and holders, or for smaller numbers, than the contract allows. */
final class MutatedLimits {

    /** The most waiters and readers of a lock. */
    private static final int MOST = 100;

    /** The locks of a page. */
    private static final int PAGE = 100;

    private static final Duration HOUR = Duration.ofHours(1);

    private MutatedLimits() {}

    /** Tells more callers to wait, without a place. */
    static class LimitedPlaces extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (lock.queue.ids().size() > MOST) {
                lock.queue.withdraw(command.id());
            }
            return reply;
        }
    }

    static class LimitedReaders extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            return lock.leases.size() >= MOST
                    ? new LockReply.Busy(Duration.ofMillis(5))
                    : super.acquire(command, lock, now);
        }
    }

    /** Renews shares for an hour at most. */
    static LockStore limitsTheRenewalsOfShares(LockStore store) {
        return changed(
                store,
                command -> command instanceof LockCommand.Renew renew
                                && !renew.share().isExclusive()
                        ? new LockCommand.Renew(
                                renew.name(), renew.id(), Durations.min(renew.lease(), HOUR), renew.share())
                        : command);
    }

    /** Grants shares for an hour at most. */
    static LockStore limitsTheLeasesOfShares(LockStore store) {
        return changed(
                store,
                command -> command instanceof LockCommand.Acquire acquire
                                && !acquire.share().isExclusive()
                        ? new LockCommand.Acquire(
                                acquire.name(),
                                acquire.id(),
                                Durations.min(acquire.lease(), HOUR),
                                acquire.queue(),
                                acquire.tokenFloor(),
                                acquire.owner(),
                                acquire.share())
                        : command);
    }

    /** Looks at the first waiters only to find out which are due. */
    static MutatedSpace limitsTheDue() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                return super.admit(id, share, taken, now) && List.copyOf(ids()).indexOf(id) < MOST;
            }
        });
    }

    static LockStore limitsListedHolders(LockStore store) {
        return listed(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.holders().stream().limit(MOST).toList(),
                        info.minimumHoldUntil(),
                        info.waiters()));
    }

    static LockStore limitsListedWaiters(LockStore store) {
        return listed(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.holders(),
                        info.minimumHoldUntil(),
                        info.waiters().stream().limit(MOST).toList()));
    }

    private static LockStore listed(LockStore store, UnaryOperator<LockInfo> shown) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout).map(shown);
            }
        };
    }

    /** Keeps permits and limits in columns of 16 bits. */
    static LockStore limitsPermits(LockStore store) {
        return changed(
                store,
                command -> MutatedShares.withShare(
                        command,
                        new Share(
                                Math.min(command.share().permits(), Short.MAX_VALUE),
                                command.share().limit() == Share.UNLIMITED
                                        ? Share.UNLIMITED
                                        : Math.min(command.share().limit(), Short.MAX_VALUE))));
    }

    /** Puts both halves of an id into one text, without leading zeros. */
    static LockStore cutsLeadingZeros(LockStore store) {
        return changed(store, command -> {
            String text = Long.toHexString(command.id().high())
                    + Long.toHexString(command.id().low());
            return MutatedIdentity.of(
                    new AcquisitionId(
                            text.length(), text.length() > 16 ? text.hashCode() : Long.parseUnsignedLong(text, 16)),
                    command);
        });
    }

    private static LockStore changed(LockStore store, UnaryOperator<LockCommand> change) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(commands.stream().map(change).toList(), timeout);
            }
        };
    }

    /** Reads a listing page by page, each from the number of its first lock: when one before it is released, a lock is left out. */
    static LockStore numbersPages(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return Stream.iterate(0, page -> page + 1)
                        .map(page -> page(prefix, timeout, page))
                        .takeWhile(page -> !page.isEmpty())
                        .flatMap(List::stream);
            }

            private List<LockInfo> page(String prefix, Duration timeout, int number) {
                try (Stream<LockInfo> all = super.list(prefix, timeout)) {
                    return all.skip((long) PAGE * number).limit(PAGE).toList();
                }
            }
        };
    }
}
