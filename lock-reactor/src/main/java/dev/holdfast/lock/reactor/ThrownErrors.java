package dev.holdfast.lock.reactor;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Makes signals of errors that are thrown instead: operators of Reactor throw errors of the JVM and of class loading at what called
 * them, and no subscriber learns that the publisher has ended. An error that a publisher throws on a thread of its own is not seen.
 */
final class ThrownErrors {

    private ThrownErrors() {}

    static <T> Mono<T> signalled(Mono<T> source) {
        return new MonoOperator<T, T>(source) {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                new Guard<>(actual).subscribeTo(this.source);
            }
        };
    }

    static <T> Flux<T> signalled(Flux<T> source) {
        return new FluxOperator<T, T>(source) {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                new Guard<>(actual).subscribeTo(this.source);
            }
        };
    }

    /** Between the publisher and its subscriber. */
    private static final class Guard<T> implements CoreSubscriber<T>, Subscription {

        private final CoreSubscriber<? super T> actual;
        private final AtomicBoolean isOver = new AtomicBoolean();
        private volatile @Nullable Subscription subscription;

        Guard(CoreSubscriber<? super T> actual) {
            this.actual = actual;
        }

        void subscribeTo(Publisher<? extends T> source) {
            guarded(() -> source.subscribe(this));
        }

        private void guarded(Runnable step) {
            try {
                step.run();
            } catch (Throwable thrown) {
                ended(thrown);
            }
        }

        private void ended(Throwable thrown) {
            if (!isOver.compareAndSet(false, true)) {
                Operators.onErrorDropped(thrown, actual.currentContext());
                return;
            }
            Subscription begun = subscription;
            if (begun == null) {
                Operators.error(actual, thrown);
            } else {
                begun.cancel();
                actual.onError(thrown);
            }
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription begun) {
            subscription = begun;
            actual.onSubscribe(this);
        }

        @Override
        public void onNext(T element) {
            if (isOver.get()) {
                Operators.onNextDropped(element, actual.currentContext());
            } else {
                guarded(() -> actual.onNext(element));
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (isOver.compareAndSet(false, true)) {
                actual.onError(failure);
            } else {
                Operators.onErrorDropped(failure, actual.currentContext());
            }
        }

        @Override
        public void onComplete() {
            if (isOver.compareAndSet(false, true)) {
                actual.onComplete();
            }
        }

        @Override
        public void request(long number) {
            Subscription begun = subscription;
            if (begun != null) {
                guarded(() -> begun.request(number));
            }
        }

        @Override
        public void cancel() {
            Subscription begun = subscription;
            if (begun != null) {
                begun.cancel();
            }
        }
    }
}
