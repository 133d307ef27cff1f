package dev.holdfast.lock.tck.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each fault, as the client sees it. The server replies to each byte with its successor. */
@Timeout(60)
class FaultyProxyTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int AT_ONCE_MILLIS = 200;

    private final BlockingQueue<Integer> served = new LinkedBlockingQueue<>();
    private final Queue<String> arrived = new ConcurrentLinkedQueue<>(); // at the proxy
    private ServerSocket server;
    private FaultyProxy proxy;
    private Socket client;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        FaultyProxy.daemon(this::serve, "server");
        proxy = new FaultyProxy(
                (InetSocketAddress) server.getLocalSocketAddress(),
                () -> (direction, bytes, count) -> arrived.add(direction + " " + bytes[0]));
        client = newClient();
        assertThat(ask(1)).isEqualTo(2);
    }

    @AfterEach
    void disconnect() throws IOException {
        client.close();
        proxy.close();
        server.close();
    }

    @Test
    void proxy_withoutFaults_passesRequestsAndReplies() throws IOException {
        assertThat(ask(7)).isEqualTo(8);
        assertThat(proxy.connections()).isOne();
    }

    @Test
    void leadTo_closesConnectionsAndConnectsNewOnesToTheOtherServer() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            proxy.leadTo((InetSocketAddress) other.getLocalSocketAddress());

            assertThat(hasEnded(client)).isTrue();
            try (Socket later = newClient();
                    Socket served = other.accept()) {
                later.getOutputStream().write(3);
                assertThat(served.getInputStream().read()).isEqualTo(3);
            }
        }
    }

    @Test
    void delay_ofBothDirections_addsUp() throws IOException {
        proxy.delay(Direction.TO_SERVER, Duration.ofMillis(80));
        proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(70));
        long start = System.nanoTime();

        assertThat(ask(7)).isEqualTo(8);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
    }

    /** Otherwise a stream would be slower by the delay of each of its pieces. */
    @Test
    void delay_ofAStream_holdsUpNoPieceBehindAnother() throws Exception {
        proxy.delay(Direction.TO_SERVER, Duration.ofHours(1));
        for (int piece = 2; piece < 20; piece++) {
            String next = Direction.TO_SERVER + " " + piece;
            client.getOutputStream().write(piece);
            Await.until("the next piece has arrived while the others are on their way", () -> arrived.contains(next));
        }
        assertThat(served).containsExactly(1);

        proxy.pass();

        for (int piece = 2; piece < 20; piece++) {
            assertThat(reply()).isEqualTo(piece + 1);
        }
    }

    @Test
    void turnarounds_areCountedOncePerQuestionHoweverManyPiecesItHas() throws Exception {
        TurnaroundCounter turnarounds = new TurnaroundCounter();
        AtomicInteger arrived = new AtomicInteger();
        Supplier<TrafficObserver> counting = () -> {
            TrafficObserver counter = turnarounds.get();
            return (direction, bytes, length) -> {
                counter.sent(direction, bytes, length);
                arrived.addAndGet(direction == Direction.TO_SERVER ? length : 0);
            };
        };
        try (FaultyProxy counted = new FaultyProxy((InetSocketAddress) server.getLocalSocketAddress(), counting);
                Socket asking = new Socket(InetAddress.getLoopbackAddress(), counted.port())) {
            counted.hold(Direction.TO_SERVER);
            asking.getOutputStream().write(new byte[] {1, 2, 3});
            assertThat(counted.awaitHeld(Direction.TO_SERVER, LIMIT)).isTrue();
            asking.getOutputStream().write(4);
            Await.until("all of the question has arrived", () -> arrived.get() == 4);
            counted.pass();
            assertThat(asking.getInputStream().readNBytes(4)).containsExactly(2, 3, 4, 5);
            assertThat(turnarounds.count()).isEqualTo(1);
            asking.getOutputStream().write(5);
            assertThat(asking.getInputStream().read()).isEqualTo(6);
            assertThat(turnarounds.count()).isEqualTo(2);
        }
    }

    @Test
    void hold_ofReplies_deliversThemAfterPass() throws Exception {
        proxy.hold(Direction.TO_CLIENT);
        client.getOutputStream().write(7);
        assertThat(proxy.awaitHeld(Direction.TO_CLIENT, LIMIT)).isTrue();
        assertThat(served).contains(7);
        expectSilence();

        proxy.pass();

        assertThat(reply()).isEqualTo(8);
    }

    @Test
    void drop_ofReplies_losesThem() throws Exception {
        proxy.drop(Direction.TO_CLIENT);
        client.getOutputStream().write(7);
        assertThat(served.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(served.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(7);
        Await.until("the reply is there to be lost", () -> arrived.contains(Direction.TO_CLIENT + " 8"));
        expectSilence();

        proxy.pass();

        expectSilence();
        assertThat(ask(9)).isEqualTo(10);
    }

    @Test
    void drop_ofRequests_losesThem() throws Exception {
        served.clear();
        proxy.drop(Direction.TO_SERVER);
        client.getOutputStream().write(7);
        Await.until("the request is there to be lost", () -> arrived.contains(Direction.TO_SERVER + " 7"));
        expectSilence();
        assertThat(served).isEmpty();

        proxy.pass();

        assertThat(ask(9)).isEqualTo(10);
        assertThat(served).containsExactly(9);
    }

    @Test
    void cut_closesAndRefusesConnectionsUntilPass() throws IOException {
        proxy.cut();

        assertThat(hasEnded(client)).isTrue();
        try (Socket refused = newClient()) {
            assertThat(hasEnded(refused)).isTrue();
        }
        proxy.pass();
        client.close();
        client = newClient();
        assertThat(ask(7)).isEqualTo(8);
    }

    @Test
    void halfOpen_closesTheServersSideOnly() throws IOException {
        proxy.halfOpen();

        client.getOutputStream().write(7);

        expectSilence();
        proxy.pass();
        client.getOutputStream().write(8);
        expectSilence();
        assertThat(served).containsExactly(1);
    }

    @Test
    void close_closesConnectionsAndThePort() {
        int port = proxy.port();
        proxy.close();

        assertThat(hasEnded(client)).isTrue();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void observer_seesWhatIsSentInEachDirection() throws IOException {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        proxy.close();
        proxy = new FaultyProxy(
                (InetSocketAddress) server.getLocalSocketAddress(),
                () -> (direction, bytes, length) -> seen.add(direction + " " + length + " " + bytes[0]));
        client.close();
        client = newClient();
        for (int question = 1; question <= 3; question++) {
            assertThat(ask(question)).isEqualTo(question + 1);
        }

        assertThat(proxy.connections()).isOne();
        assertThat(seen)
                .containsExactly(
                        "TO_SERVER 1 1",
                        "TO_CLIENT 1 2",
                        "TO_SERVER 1 2",
                        "TO_CLIENT 1 3",
                        "TO_SERVER 1 3",
                        "TO_CLIENT 1 4");
    }

    private Socket newClient() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setSoTimeout((int) LIMIT.toMillis());
        return socket;
    }

    private int ask(int question) throws IOException {
        client.getOutputStream().write(question);
        return reply();
    }

    private int reply() throws IOException {
        return client.getInputStream().read();
    }

    private void expectSilence() throws IOException {
        client.setSoTimeout(AT_ONCE_MILLIS);
        assertThatThrownBy(this::reply).isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout((int) LIMIT.toMillis());
    }

    private static boolean hasEnded(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private void serve() {
        while (true) {
            try {
                Socket connection = server.accept();
                FaultyProxy.daemon(() -> echo(connection), "echo");
            } catch (IOException e) {
                return; // closed with the test
            }
        }
    }

    private void echo(Socket connection) {
        try (connection) {
            for (int question = connection.getInputStream().read();
                    question >= 0;
                    question = connection.getInputStream().read()) {
                served.add(question);
                connection.getOutputStream().write(question + 1);
            }
        } catch (IOException e) {
            // the proxy has cut the connection
        }
    }
}
