package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaderCandidate;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request has all threads of Holdfast started; whatever runs on them later knows nothing of that request. */
@Timeout(180)
class InheritedByThreadsTest {

    private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

    private final Map<String, String> seen = new ConcurrentHashMap<>();

    private void see(String callback) {
        Thread thread = Thread.currentThread();
        seen.put(callback, TENANT.get() + " " + (thread.getContextClassLoader() == Locks.class.getClassLoader()));
    }

    @Test
    void callbacks_onThreadsStartedByARequest_seeNeitherItsThreadLocalsNorItsClassLoader() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "memory");
        try (URLClassLoader loader = new URLClassLoader(new URL[0])) {
            CompletableFuture<Locks> opened = new CompletableFuture<>();
            Thread request = new Thread(() -> {
                TENANT.set("alice");
                Locks locks = Locks.open(properties);
                opened.complete(locks);
                use(locks);
            });
            request.setContextClassLoader(loader);
            request.start();
            Locks locks = Await.result(opened);
            try {
                Await.until("all callbacks have run", () -> seen.size() == 5);
            } finally {
                locks.close();
            }
        }
        assertThat(seen)
                .containsOnlyKeys("listener", "onLost", "elected", "future", "revoked")
                .allSatisfy((callback, what) -> assertThat(what).isEqualTo("null true"));
    }

    private void use(Locks locks) {
        locks.addListener(new LockListener() {
            @Override
            public void acquired(String name, LeaseKind kind, long token, Duration waited) {
                see("listener");
            }
        });
        try {
            Lease lost =
                    locks.named("lost").withFixedLease(Duration.ofMillis(200)).acquire();
            lost.onLost(loss -> see("onLost"));
            try (Lease before = locks.named("later").acquire()) { // or the stage may run on this thread
                CompletableFuture<Void> unused =
                        locks.named("later").acquireAsync().thenAccept(lease -> see("future"));
                before.ensureHeld();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        locks.elect("boss", new LeaderCandidate() {
            @Override
            public void elected(Lease lease) {
                see("elected");
                lease.close();
            }

            @Override
            public void revoked(Lease lease) {
                see("revoked");
            }
        });
    }
}
