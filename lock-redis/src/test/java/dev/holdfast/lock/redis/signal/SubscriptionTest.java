package dev.holdfast.lock.redis.signal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.connection.Access;
import dev.holdfast.lock.redis.connection.Opening;
import dev.holdfast.lock.redis.connection.RedisUri;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.server.OnServerOfItsOwn;
import dev.holdfast.lock.redis.server.RedisWay;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.signal.Listening;
import dev.holdfast.lock.spi.signal.Source;
import dev.holdfast.lock.spi.signal.Subscribers;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connection on which nothing is said: it is alive, or dead, or has not been made yet. */
class SubscriptionTest extends OnServerOfItsOwn {

    private static final String CHANNEL = "signals of one store";
    private static final Duration SILENCE = Duration.ofMillis(100);

    private final List<Signal> heard = new CopyOnWriteArrayList<>();

    private FaultyProxy proxy;
    private Servers servers;

    @BeforeEach
    void start() {
        proxy = new FaultyProxy(server.address());
        RedisUri uri =
                RedisUri.of(RedisWay.uri(server, proxy) + "/1"); // a database has to be asked for before all else
        servers = Opening.of(
                uri,
                new Access(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        1,
                        Duration.ofSeconds(10)));
    }

    @AfterEach
    void stop() {
        servers.close();
        proxy.close();
    }

    @Test
    void checksAfterALongPauseGiveItTimeToAnswerHoweverManyThereAreAtOnce() throws Exception {
        Duration roundTrip = Duration.ofSeconds(5); // far longer than from the check to the answer
        Subscription subscription = new Subscription(servers, CHANNEL, SILENCE, roundTrip);
        try (Subscribers subscribers = new Subscribers(() -> subscription)) {
            AutoCloseable unused = subscribers.add(heard::add);
            Await.until("it is connected", () -> heard.equals(List.of(Signal.ANY)));
            long connected = System.nanoTime();
            Await.until(
                    "it was not checked for long",
                    () -> System.nanoTime() - connected
                            > SILENCE.plus(roundTrip).toNanos());
            proxy.hold(Direction.TO_CLIENT); // what it answers is on its way

            subscription.check();
            subscription.check();

            proxy.pass();
            AcquisitionId id = new AcquisitionId(1, 2);
            assertThat(admin.publish(CHANNEL, id + " somebody's")).isEqualTo(1);
            Await.until("it is heard", () -> heard.size() > 1);
            assertThat(heard).containsExactly(Signal.ANY, Signal.to(new LockName("somebody's"), id));
        }
    }

    @Test
    void oneThatIsDeadIsCutAndAnotherMade() throws Exception {
        Subscription subscription = new Subscription(servers, CHANNEL, SILENCE, Duration.ofMillis(300));
        try (Subscribers subscribers = new Subscribers(() -> subscription)) {
            AutoCloseable unused = subscribers.add(heard::add);
            Await.until("it is connected", () -> heard.equals(List.of(Signal.ANY)));
            proxy.halfOpen();

            Await.until("it is cut", () -> {
                subscription.check();
                return proxy.connections() == 0;
            });

            proxy.pass();
            Await.until("another is there", () -> admin.publish(CHANNEL, "whatever") == 1);
            Await.until("it is said that something may have been missed", () -> heard.size() > 1);
            assertThat(heard).containsOnly(Signal.ANY);
        }
    }

    @Test
    void closingWhileItConnectsLeavesNeitherItsThreadNorItsConnection() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        Subscription subscription = new Subscription(servers, CHANNEL);
        Subscribers subscribers = new Subscribers(() -> noting(thread, subscription));
        proxy.hold(Direction.TO_CLIENT);
        AutoCloseable unused = subscribers.add(heard::add);
        assertThat(proxy.awaitHeld(Direction.TO_CLIENT, Duration.ofMinutes(1))).isTrue();

        subscribers.close();
        proxy.pass();

        Await.until("its thread has ended", () -> !thread.get().isAlive());
        Await.until("its connection is closed", () -> proxy.connections() == 0);
        assertThat(heard).isEmpty();
    }

    private static Source noting(AtomicReference<Thread> thread, Source source) {
        return new Source() {
            @Override
            public void follow(Listening listening) throws Exception {
                thread.set(Thread.currentThread());
                source.follow(listening);
            }

            @Override
            public void end() {
                source.end();
            }
        };
    }
}
