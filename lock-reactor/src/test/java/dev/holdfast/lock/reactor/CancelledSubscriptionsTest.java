package dev.holdfast.lock.reactor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.testing.RandomCancellations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A subscription that is cancelled at any point leaves neither a lock nor a place in the queue. */
@Timeout(180)
class CancelledSubscriptionsTest {

    @Test
    void withLock_whenCancelledAtAnyPoint_leavesNothingAtTheStore() {
        RandomCancellations.run((lock, held, endless) ->
                ReactorLock.of(lock).withLock(lease -> body(held, endless)).subscribe()::dispose);
    }

    @Test
    void withLockMany_whenCancelledAtAnyPoint_leavesNothingAtTheStore() {
        RandomCancellations.run((lock, held, endless) -> ReactorLock.of(lock)
                .withLockMany(lease -> Flux.concat(body(held, endless), Flux.range(0, 3)))
                .subscribe()::dispose);
    }

    /** The subscriber has to release each lease that it receives, even if it is cancelled at that instant. */
    @Test
    void acquire_whenCancelledAtAnyPoint_leavesNothingAtTheStore() {
        RandomCancellations.run((lock, held, endless) -> {
            BaseSubscriber<Lease> subscriber = new BaseSubscriber<>() {
                @Override
                protected void hookOnNext(Lease lease) {
                    held.run();
                    lease.close();
                }
            };
            ReactorLock.of(lock).acquire().subscribe(subscriber);
            return subscriber::cancel;
        });
    }

    private static Mono<Object> body(Runnable held, boolean endless) {
        return Mono.fromRunnable(held).then(endless ? Mono.never() : Mono.empty());
    }
}
