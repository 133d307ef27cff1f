package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.NotificationHub;
import dev.holdfast.lock.spi.support.NotificationSource;
import dev.holdfast.lock.spi.support.ReconnectingListener;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A silent subscription: its connection is alive, or dead, or not open yet. */
class RedisNotificationSourceTest extends ServerFixture {

    private static final String CHANNEL = "notifications of one store";
    private static final Duration SILENCE = Duration.ofMillis(100);

    private final List<Notification> heard = new CopyOnWriteArrayList<>();

    private FaultyProxy proxy;
    private RedisServers servers;

    @BeforeEach
    void start() {
        proxy = new FaultyProxy(server.address());
        RedisUri uri =
                RedisUri.of(ProxiedRedis.uri(server, proxy) + "/1"); // a database has to be asked for before all else
        servers = RedisServers.open(uri, TestSettings.with(1, Duration.ofMinutes(1)));
    }

    @AfterEach
    void stop() {
        servers.close();
        proxy.close();
    }

    @Test
    void checks_afterLongSilence_leaveTimeForThePong() throws Exception {
        Duration roundTrip = Duration.ofSeconds(5); // far longer than from the check to the answer
        RedisNotificationSource source = new RedisNotificationSource(servers, CHANNEL, SILENCE, roundTrip);
        try (NotificationHub subscribers = new NotificationHub(() -> source)) {
            AutoCloseable unused = subscribers.subscribe(heard::add);
            Await.until("it is connected", () -> heard.equals(List.of(Notification.ANY)));
            long connected = System.nanoTime();
            Await.until(
                    "it was not checked for long",
                    () -> System.nanoTime() - connected
                            > SILENCE.plus(roundTrip).toNanos());
            proxy.hold(Direction.TO_CLIENT); // what it answers is on its way

            source.check();
            source.check();

            proxy.pass();
            AcquisitionId id = new AcquisitionId(1, 2);
            assertThat(admin.publish(CHANNEL, id + " a lock")).isEqualTo(1);
            Await.until("it is heard", () -> heard.size() > 1);
            assertThat(heard).containsExactly(Notification.ANY, Notification.of(new LockName("a lock"), id));
        }
    }

    @Test
    void deadSubscription_whenChecked_isReplaced() throws Exception {
        RedisNotificationSource source = new RedisNotificationSource(servers, CHANNEL, SILENCE, Duration.ofMillis(300));
        try (NotificationHub subscribers = new NotificationHub(() -> source)) {
            AutoCloseable unused = subscribers.subscribe(heard::add);
            Await.until("it is connected", () -> heard.equals(List.of(Notification.ANY)));
            proxy.halfOpen();

            Await.until("it is cut", () -> {
                source.check();
                return proxy.connections() == 0;
            });

            proxy.pass();
            Await.until("another is there", () -> admin.publish(CHANNEL, "whatever") == 1);
            Await.until("it is said that something may have been missed", () -> heard.size() > 1);
            assertThat(heard).containsOnly(Notification.ANY);
        }
    }

    @Test
    void close_whileConnecting_leavesNoThreadAndNoConnection() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        RedisNotificationSource source = new RedisNotificationSource(servers, CHANNEL);
        NotificationHub subscribers = new NotificationHub(() -> noting(thread, source));
        proxy.hold(Direction.TO_CLIENT);
        AutoCloseable unused = subscribers.subscribe(heard::add);
        assertThat(proxy.awaitHeld(Direction.TO_CLIENT, Duration.ofMinutes(1))).isTrue();

        subscribers.close();
        proxy.pass();

        Await.until("its thread has ended", () -> !thread.get().isAlive());
        Await.until("its connection is closed", () -> proxy.connections() == 0);
        assertThat(heard).isEmpty();
    }

    private static NotificationSource noting(AtomicReference<Thread> thread, NotificationSource source) {
        return new NotificationSource() {
            @Override
            public void listen(ReconnectingListener listening) throws Exception {
                thread.set(Thread.currentThread());
                source.listen(listening);
            }

            @Override
            public void stop() {
                source.stop();
            }
        };
    }
}
