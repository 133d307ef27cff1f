package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.StoreQueue;
import dev.holdfast.lock.testing.OwnThread;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Mutants with wrong notifications. */
final class MutatedNotifications {

    private MutatedNotifications() {}

    static class LosesAll extends MutatedSpace {
        @Override
        void notifyListeners(Notification notification) {}
    }

    /** Notifies only of the end of a lease. */
    static class OfReleasesOnly extends MutatedSpace {
        private final ThreadLocal<List<Notification>> notifications = ThreadLocal.withInitial(ArrayList::new);

        @Override
        LockReply execute(LockCommand command) {
            notifications.get().clear();
            LockReply reply = super.execute(command);
            if (reply.equals(new LockReply.Released(true))) {
                notifications.get().forEach(super::notifyListeners);
            }
            return reply;
        }

        @Override
        void notifyListeners(Notification notification) {
            notifications.get().add(notification);
        }
    }

    /** Sends ANY before the subscription is in effect. */
    static LockStore startsLate(LockStore store) {
        Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, OwnThread.EACH);
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                to.accept(Notification.ANY);
                CompletableFuture<AutoCloseable> subscription =
                        CompletableFuture.supplyAsync(() -> super.subscribe(butTheFirst(to)), later);
                return () -> subscription.get().close();
            }
        };
    }

    private static Consumer<Notification> butTheFirst(Consumer<Notification> to) {
        AtomicBoolean first = new AtomicBoolean(true);
        return notification -> {
            if (!first.getAndSet(false)) {
                to.accept(notification);
            }
        };
    }

    /** Sends no ANY after a gap. */
    static LockStore hidesGaps(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                AtomicBoolean begun = new AtomicBoolean();
                return super.subscribe(notification -> {
                    if (!notification.equals(Notification.ANY) || !begun.getAndSet(true)) {
                        to.accept(notification);
                    }
                });
            }
        };
    }

    /** Notifies a dead waiter in place of the living one behind it. */
    static class OfTheDead extends MutatedSpace {
        private static final class Queue extends StoreQueue {
            private @Nullable AcquisitionId dead;

            @Override
            public void dropExpired(Instant now) {
                List<AcquisitionId> before = List.copyOf(ids());
                super.dropExpired(now);
                before.stream().filter(id -> !ids().contains(id)).forEach(id -> dead = id);
            }
        }

        @Override
        StoreQueue newQueue() {
            return new Queue();
        }

        @Override
        List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
            List<AcquisitionId> living = super.settle(command, reply, lock, now);
            AcquisitionId dead = ((Queue) lock.queue).dead;
            if (living.isEmpty() || dead == null || !isWrongAfter(command)) {
                return living;
            }
            ((Queue) lock.queue).dead = null;
            return List.of(dead);
        }

        boolean isWrongAfter(LockCommand command) {
            return true;
        }
    }

    /** Does the same after the commands of shares. */
    static class OfTheDeadByShares extends OfTheDead {
        @Override
        boolean isWrongAfter(LockCommand command) {
            return !command.share().isExclusive();
        }
    }

    /** Looks for waiters to notify only if it is the first one that leaves. */
    static class OfWithdrawalsOfTheFirst extends MutatedSpace {
        private boolean isFirst;

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            isFirst = command.id().equals(lock.queue.first());
            return super.release(command, lock, now);
        }

        @Override
        List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
            List<AcquisitionId> right = super.settle(command, reply, lock, now);
            return reply.equals(new LockReply.Released(false)) && !isFirst ? List.of() : right;
        }
    }

    /** Does not notify a new first waiter that has to wait, if the one before it was due. */
    static class NotBehindADueOne extends MutatedSpace {
        private boolean wasDue;

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            wasDue = !lock.queue.claimWindows().isEmpty();
            return super.release(command, lock, now);
        }

        @Override
        List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
            List<AcquisitionId> right = super.settle(command, reply, lock, now);
            return command instanceof LockCommand.Release
                            && wasDue
                            && lock.queue.claimWindows().isEmpty()
                    ? List.of()
                    : right;
        }
    }

    static LockStore neverStops(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                super.subscribe(to);
                return () -> {};
            }
        };
    }

    static class LosesHalf extends MutatedSpace {
        private final Random random = new Random();

        @Override
        void notifyListeners(Notification notification) {
            if (random.nextBoolean()) {
                super.notifyListeners(notification);
            }
        }
    }

    /** Subscribes a listener only once. */
    static LockStore subscribesAListenerOnce(LockStore store) {
        Map<Consumer<Notification>, AutoCloseable> subscriptions = new ConcurrentHashMap<>();
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                if (subscriptions.containsKey(to)) {
                    to.accept(Notification.ANY);
                } else {
                    subscriptions.put(to, super.subscribe(to));
                }
                return () -> {
                    AutoCloseable subscription = subscriptions.remove(to);
                    if (subscription != null) {
                        subscription.close();
                    }
                };
            }
        };
    }

    /** Does not retry a subscription that failed. */
    static LockStore subscribesAtOnceOrNever(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                LockCommand command =
                        new LockCommand.Renew(new LockName("any"), new AcquisitionId(0, 0), Duration.ofSeconds(1));
                return MemoryConnection.isBroken(super.execute(List.of(command), Duration.ofMillis(10)))
                        ? () -> {}
                        : super.subscribe(to);
            }
        };
    }
}
