package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.server.Awaiting;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.signal.Subscribers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A peer that dies without a word. */
class ListenerTest {

    private static final Duration SILENCE = Duration.ofMillis(200);
    private static final Duration ROUND_TRIP = Duration.ofSeconds(2);

    @Test
    void aSilentPeerIsNoticedThoughNothingIsHeard() throws Exception {
        PostgresServer server = PostgresServer.shared();
        JdbcUrl direct = new JdbcUrl(server.newDatabase());
        List<Signal> heard = new CopyOnWriteArrayList<>();
        try (PostgresProxy proxy = new PostgresProxy(server);
                Connections connections = Session.open(
                        new JdbcUrl(proxy.url(direct.value())),
                        Optional.of(server.username()),
                        Optional.of(server.password()),
                        1,
                        Duration.ofSeconds(1));
                Subscribers subscribers = new Subscribers(
                        () -> new Listener(connections, new Namespace("silent"), SILENCE, ROUND_TRIP))) {
            subscribers.add(heard::add);
            Awaiting.until("it is connected", () -> heard.equals(List.of(Signal.ANY)));
            int questions = proxy.questions();
            Awaiting.until("it has asked now and then", () -> proxy.questions() > questions + 2);
            assertThat(heard).hasSize(1);
            int connected = proxy.connections();
            proxy.silence();
            Awaiting.until("it has given the connection up", () -> proxy.connections() > connected);
            proxy.heal();
            Awaiting.until("it is connected again", () -> heard.size() > 1);
        }
    }
}
