package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.RequestWaits.Acquiring;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/** The threads of a web server that wait for locks, and for a store that does not answer. */
class RequestWaitsTest {

    /** Of which six wait, and one of the other two asks. */
    private static final int THREADS = 8;

    private final RequestWaits waits = RequestWaits.of(environment());

    private static StandardEnvironment environment() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("server.tomcat.threads.max", THREADS)));
        return environment;
    }

    /** On a thread of the web server. */
    private @Nullable LockHold request(@Nullable Duration limit, Acquiring acquiring) throws InterruptedException {
        RequestContextHolder.setRequestAttributes((RequestAttributes) Proxy.newProxyInstance(
                RequestAttributes.class.getClassLoader(),
                new Class<?>[] {RequestAttributes.class},
                (proxy, method, arguments) -> null));
        try {
            return waits.limited(limit, acquiring);
        } finally {
            RequestContextHolder.resetRequestAttributes();
        }
    }

    /** An attempt lasts as long as a call to the store may take, or no store of a composite grants. */
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "PT0S")
    void requests_whoseStoreIsSilent_leaveAThreadForOthers(@Nullable Duration limit) throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(THREADS - 1);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS - 1);
        try {
            List<Future<?>> requests = IntStream.range(1, THREADS)
                    .<Future<?>>mapToObj(i -> threads.submit(() -> request(limit, timeout -> {
                        asked.countDown();
                        Await.opened(answers);
                        return null;
                    })))
                    .toList();
            Await.opened(asked);

            assertThatThrownBy(() -> request(limit, timeout -> {
                        throw new AssertionError("the last thread asks, too");
                    }))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("holdfast.web.max-waiting");

            answers.countDown();
            for (Future<?> each : requests) {
                Await.result(each);
            }
            assertThat(request(limit, timeout -> null)).isNull();
        } finally {
            answers.countDown();
            threads.shutdownNow();
        }
    }

    @Test
    void request_whoseMethodAsksOnce_isNotToldThatOthersWait() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(THREADS - 2);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS - 2);
        try {
            List<Future<?>> requests = IntStream.range(2, THREADS)
                    .<Future<?>>mapToObj(i -> threads.submit(() -> request(null, timeout -> {
                        waiting.countDown();
                        Await.opened(answers);
                        return null;
                    })))
                    .toList();
            Await.opened(waiting);

            assertThatThrownBy(() -> request(Duration.ZERO, RequestWaitsTest::busy))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessage("it is busy");
            assertThatThrownBy(() -> request(null, RequestWaitsTest::busy))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("this request did not wait");

            answers.countDown();
            for (Future<?> each : requests) {
                Await.result(each);
            }
        } finally {
            answers.countDown();
            threads.shutdownNow();
        }
    }

    private static @Nullable LockHold busy(@Nullable Duration timeout) {
        assertThat(timeout).isZero();
        throw new LockTimeoutException("it is busy");
    }
}
