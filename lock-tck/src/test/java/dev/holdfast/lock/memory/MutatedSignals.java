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

/** Mutants that are wrong about whom to tell, and when. */
final class MutatedSignals {

    private MutatedSignals() {}

    static class LosesAll extends MutatedSpace {
        @Override
        void notifyListeners(Signal signal) {}
    }

    /** Only the end of a lease is worth a signal. */
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

    /** Says that it listens, and begins to. */
    static LockStore startsDeaf(LockStore store) {
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

    /** Subscribes anew after a gap, and does not mention it. */
    static LockStore concealsGaps(LockStore store) {
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

    /** A listener that listens already is not added once more. */
    static LockStore knowsListeners(LockStore store) {
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

    /** Who cannot subscribe at once never does. */
    static LockStore subscribesAtOnceOrNever(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable signals(Consumer<Signal> to) {
                Step step = new Step.Renew(new LockName("any"), new AcquisitionId(0, 0), Duration.ofSeconds(1));
                return MemoryWay.isBroken(super.apply(List.of(step), Duration.ofMillis(10)))
                        ? () -> {}
                        : super.signals(to);
            }
        };
    }
}
