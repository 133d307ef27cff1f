package dev.holdfast.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DaemonThreadFactoryTest {

    private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

    @Test
    @SuppressWarnings("ThreadPriorityCheck")
    void thread_startedByARequest_inheritsNothingFromIt() throws Exception {
        CompletableFuture<String> tenant = new CompletableFuture<>();
        CompletableFuture<Thread> made = new CompletableFuture<>();
        ThreadGroup group = new ThreadGroup("of the request");
        try (URLClassLoader loader = new URLClassLoader(new URL[0])) {
            Thread request = new Thread(group, () -> {
                TENANT.set("alice");
                Thread thread = new DaemonThreadFactory("holdfast-test-")
                        .newThread(() -> tenant.complete(String.valueOf(TENANT.get())));
                thread.start();
                made.complete(thread);
            });
            request.setContextClassLoader(loader);
            request.setPriority(Thread.MIN_PRIORITY);
            request.setDaemon(false);
            request.start();
            Thread thread = made.get(3, TimeUnit.MINUTES);

            assertThat(tenant.get(3, TimeUnit.MINUTES)).isEqualTo("null");
            assertThat(thread.getName()).isEqualTo("holdfast-test-1");
            assertThat(thread.getContextClassLoader()).isSameAs(DaemonThreadFactory.class.getClassLoader());
            assertThat(thread.getPriority()).isEqualTo(Thread.NORM_PRIORITY);
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getThreadGroup()).isNotSameAs(group);
        }
    }
}
