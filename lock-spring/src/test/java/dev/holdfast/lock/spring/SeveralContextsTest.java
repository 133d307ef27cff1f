package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.publisher.Mono;

/** Several applications in one process, of which one calls the other on its own thread. */
class SeveralContextsTest {

    @Test
    void call_underALockOfAnotherContext_acquiresThatOfItsOwn() throws Exception {
        try (AnnotationConfigApplicationContext one = Contexts.of(Service.class);
                AnnotationConfigApplicationContext other = Contexts.of(Service.class)) {
            List<Boolean> free = one.getBean(Service.class)
                    .call(() -> other.getBean(Service.class).call(() -> List.of(isFree(one), isFree(other))));
            assertThat(free).containsExactly(false, false);

            free = one.getBean(Service.class)
                    .mono(Mono.defer(() -> other.getBean(Service.class)
                            .mono(Mono.fromCallable(() -> List.of(isFree(one), isFree(other))))))
                    .block();
            assertThat(free).containsExactly(false, false);
            assertThat(List.of(isFree(one), isFree(other))).containsExactly(true, true);
        }
    }

    @Test
    void call_underTheSameLockOfAnotherContext_joinsItsLease() throws Exception {
        try (Locks locks = Contexts.locks();
                AnnotationConfigApplicationContext one = Contexts.of(locks, Service.class);
                AnnotationConfigApplicationContext other = Contexts.of(locks, Service.class)) {
            long token = one.getBean(Service.class).call(CurrentLease::token);
            List<Long> tokens = one.getBean(Service.class)
                    .call(() -> List.of(
                            CurrentLease.token(), other.getBean(Service.class).call(CurrentLease::token)));
            assertThat(tokens.get(0)).isGreaterThan(token).isEqualTo(tokens.get(1));
        }
    }

    private static boolean isFree(AnnotationConfigApplicationContext context) {
        return context.getBean(Probe.class).isFree("x");
    }

    static class Service {

        @Locked("x")
        <T> T call(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("x")
        <T> Mono<T> mono(Mono<T> body) {
            return body;
        }
    }
}
