package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Mutants that notify some subscribers, or of some releases, only. */
final class MutatedSubscriptions {

    private MutatedSubscriptions() {}

    /** The withdrawal of the first waiter of a kept lock does not notify the next. */
    static class NotOfWithdrawalsFromKeptLocks extends MutatedSpace {
        private boolean kept;

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            kept = lease(lock) == null && isKept(lock);
            return super.release(command, lock, now);
        }

        @Override
        List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
            boolean was = kept;
            kept = false;
            List<AcquisitionId> next = super.settle(command, reply, lock, now);
            return was ? List.of() : next;
        }
    }

    /** Of the releases in a batch, only the last one notifies. */
    static class OfTheLastReleaseOfABatch extends MutatedSpace {
        private final ThreadLocal<AtomicReference<Notification>> last = ThreadLocal.withInitial(AtomicReference::new);

        @Override
        public LockStore open() {
            return new MutatedCalls(super.open()) {
                @Override
                public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                    List<LockReply> replies = super.execute(commands, timeout);
                    Notification notification = last.get().getAndSet(null);
                    if (notification != null) {
                        OfTheLastReleaseOfABatch.super.notifyListeners(notification);
                    }
                    return replies;
                }
            };
        }

        @Override
        void notifyListeners(Notification notification) {
            last.get().set(notification);
        }
    }

    /** Notifies the store instance that sent the first acquire of a waiter. */
    static class OfTheFirstInstance extends MutatedSpace {
        private final AtomicInteger opened = new AtomicInteger();
        private final Map<AcquisitionId, Integer> first = new ConcurrentHashMap<>();

        @Override
        public LockStore open() {
            int number = opened.incrementAndGet();
            return new MutatedCalls(super.open()) {
                @Override
                public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                    commands.forEach(command -> first.putIfAbsent(command.id(), number));
                    return super.execute(commands, timeout);
                }

                @Override
                public AutoCloseable subscribe(Consumer<Notification> to) {
                    return super.subscribe(notification -> {
                        if (notification
                                .id()
                                .map(id -> first.getOrDefault(id, number) == number)
                                .orElse(true)) {
                            to.accept(notification);
                        }
                    });
                }
            };
        }
    }

    /** Only the latest subscription receives notifications. */
    static LockStore theLatestOnly(LockStore store) {
        AtomicInteger latest = new AtomicInteger();
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                int number = latest.incrementAndGet();
                return super.subscribe(notification -> {
                    if (number == latest.get()) {
                        to.accept(notification);
                    }
                });
            }
        };
    }

    /** Closing a store ends the subscriptions of all stores. */
    static class UntilAnyStoreIsClosed extends MutatedSpace {
        private final Set<AutoCloseable> subscriptions = new CopyOnWriteArraySet<>();

        @Override
        public LockStore open() {
            return new MutatedCalls(super.open()) {
                @Override
                public AutoCloseable subscribe(Consumer<Notification> to) {
                    AutoCloseable subscription = super.subscribe(to);
                    subscriptions.add(subscription);
                    return subscription;
                }

                @Override
                public void close() {
                    for (AutoCloseable subscription : subscriptions) {
                        try {
                            subscription.close();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    super.close();
                }
            };
        }
    }

    /** Sends names in a text that ends at the first line break, and is too short for long names. */
    static class OfUsualNames extends MutatedSpace {
        @Override
        void notifyListeners(Notification notification) {
            String name = notification.name().map(LockName::value).orElse("");
            if (name.length() < 250 && !name.contains("\n") && !name.contains(":")) {
                super.notifyListeners(notification);
            }
        }
    }

    /** Closing a store waits for its subscriptions. */
    static LockStore closeWaitsForThem(LockStore store) {
        Set<Integer> open = ConcurrentHashMap.newKeySet();
        AtomicInteger count = new AtomicInteger();
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                AutoCloseable subscription = super.subscribe(to);
                int number = count.incrementAndGet();
                open.add(number);
                return () -> {
                    open.remove(number);
                    subscription.close();
                };
            }

            @Override
            public void close() {
                while (!open.isEmpty()) {
                    java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                }
                super.close();
            }
        };
    }
}
