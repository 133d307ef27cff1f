package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
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

/** Mutants with wrong notifications. */
final class MutatedNotifications {

    private MutatedNotifications() {}

    static class LosesAll extends MutatedSpace {
        @Override
        void notifyListeners(Signal signal) {}
    }

    /** Notifies only of the end of a lease. */
    static class OfReleasesOnly extends MutatedSpace {
        private final ThreadLocal<List<Signal>> signals = ThreadLocal.withInitial(ArrayList::new);

        @Override
        Answer execute(Step step) {
            signals.get().clear();
            Answer answer = super.execute(step);
            if (answer.equals(new Answer.Released(true))) {
                signals.get().forEach(super::notifyListeners);
            }
            return answer;
        }

        @Override
        void notifyListeners(Signal signal) {
            signals.get().add(signal);
        }
    }

    /** Sends ANY before the subscription is in effect. */
    static LockStore startsLate(LockStore store) {
        Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, task -> new Thread(task).start());
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable signals(Consumer<Signal> to) {
                to.accept(Signal.ANY);
                CompletableFuture<AutoCloseable> subscription =
                        CompletableFuture.supplyAsync(() -> super.signals(butTheFirst(to)), later);
                return () -> subscription.get().close();
            }
        };
    }

    private static Consumer<Signal> butTheFirst(Consumer<Signal> to) {
        AtomicBoolean first = new AtomicBoolean(true);
        return signal -> {
            if (!first.getAndSet(false)) {
                to.accept(signal);
            }
        };
    }

    /** Sends no ANY after a gap. */
    static LockStore hidesGaps(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable signals(Consumer<Signal> to) {
                AtomicBoolean begun = new AtomicBoolean();
                return super.signals(signal -> {
                    if (!signal.equals(Signal.ANY) || !begun.getAndSet(true)) {
                        to.accept(signal);
                    }
                });
            }
        };
    }

    static LockStore neverStops(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable signals(Consumer<Signal> to) {
                super.signals(to);
                return () -> {};
            }
        };
    }

    static class LosesHalf extends MutatedSpace {
        private final Random random = new Random();

        @Override
        void notifyListeners(Signal signal) {
            if (random.nextBoolean()) {
                super.notifyListeners(signal);
            }
        }
    }

    /** Subscribes a listener only once. */
    static LockStore subscribesAListenerOnce(LockStore store) {
        Map<Consumer<Signal>, AutoCloseable> subscriptions = new ConcurrentHashMap<>();
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable signals(Consumer<Signal> to) {
                if (subscriptions.containsKey(to)) {
                    to.accept(Signal.ANY);
                } else {
                    subscriptions.put(to, super.signals(to));
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
            public AutoCloseable signals(Consumer<Signal> to) {
                Step step = new Step.Renew(new LockName("any"), new AcquisitionId(0, 0), Duration.ofSeconds(1));
                return MemoryConnection.isBroken(super.apply(List.of(step), Duration.ofMillis(10)))
                        ? () -> {}
                        : super.signals(to);
            }
        };
    }
}
