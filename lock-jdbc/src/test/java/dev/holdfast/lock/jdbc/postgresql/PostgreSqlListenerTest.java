package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.jdbc.Commands;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationHub;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.SelfSigned;
import java.lang.reflect.Field;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutorBase;

/** How soon a listener receives notifications, and how it notices a dead peer. */
@Tag("first-build")
class PostgreSqlListenerTest {

    private static final Duration SILENCE = Duration.ofMillis(200);

    @Test
    void listener_whenPeerAnswers_keepsItsConnection() throws Exception {
        listen(Commands.CALL, (proxy, heard) -> {
            int questions = proxy.questions();
            Await.until("it has asked now and then", () -> proxy.questions() > questions + 2);
            assertThat(heard).hasSize(1);
        });
    }

    @Test
    void listener_whenPeerIsSilent_noticesIt() throws Exception {
        listen(Duration.ofSeconds(1), (proxy, heard) -> {
            int connected = proxy.connections();
            proxy.silence();
            Await.until("it has given the connection up", () -> proxy.connections() > connected);
            int before = heard.size();
            proxy.heal();
            Await.until("it is connected again", () -> heard.size() > before);
        });
    }

    private interface Listening {
        void through(PostgresProxy proxy, List<Notification> heard) throws Exception;
    }

    /** Has a listener connected, which asks in each silence whether the peer is there, and waits that long for the answer. */
    private static void listen(Duration roundTrip, Listening test) throws Exception {
        PostgresServer server = PostgresServer.shared();
        JdbcUrl direct = new JdbcUrl(server.newDatabase());
        List<Notification> heard = new CopyOnWriteArrayList<>();
        try (PostgresProxy proxy = new PostgresProxy(server);
                Connections connections = open(server, proxy.url(direct.value()));
                NotificationHub subscribers = new NotificationHub(
                        () -> new PostgreSqlListener(connections, new Namespace("silent"), SILENCE, roundTrip))) {
            subscribers.subscribe(heard::add);
            Await.until("it is connected", () -> heard.contains(Notification.ANY));
            test.through(proxy, heard);
        }
    }

    @Test
    @ResourceLock(PostgresServer.TO_CONFIGURE)
    void listener_overTls_returnsNotificationsAtOnce(@TempDir Path folder) throws Exception {
        PostgresServer server = PostgresServer.toConfigure();
        String url = server.newDatabase();
        try {
            encrypt(server, url, SelfSigned.make(folder, "server", "ip:127.0.0.1"));
            Namespace namespace = new Namespace("encrypted");
            List<Notification> heard = new CopyOnWriteArrayList<>();
            try (Connections connections = open(server, url + "?sslmode=require");
                    NotificationHub subscribers =
                            new NotificationHub(() -> new PostgreSqlListener(connections, namespace));
                    Connection other = server.connect(url);
                    Statement statement = other.createStatement()) {
                subscribers.subscribe(heard::add);
                Await.until("it is connected", () -> heard.equals(List.of(Notification.ANY)));
                AcquisitionId id = new AcquisitionId(3, 7);
                for (int i = 2; i <= 4; i++) {
                    int count = i;
                    statement.execute(
                            "NOTIFY " + NotificationChannel.of(namespace) + ", '" + new UUID(3, 7) + " nightly'");
                    Await.until("it has heard", () -> heard.size() == count);
                }
                assertThat(heard.subList(1, 4)).containsOnly(Notification.of(new LockName("nightly"), id));
                try (Connection one = connections.direct().getConnection()) {
                    assertThat(encrypted(one)).isTrue();
                }
            }
        } finally {
            try (Connection connection = server.connect(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("ALTER SYSTEM RESET ssl");
                statement.execute("SELECT pg_reload_conf()");
            }
        }
    }

    /** Else it would wait for more before it tells of what it has heard. */
    @Test
    void listener_usesLowLatencySockets() throws Exception {
        PostgresServer server = PostgresServer.shared();
        try (Connections connections = open(server, server.newDatabase());
                Connection one = connections.direct().getConnection()) {
            assertThat(socket(one).getClass().getSimpleName()).isEqualTo("LowLatencySocket");
        }
    }

    @Test
    void socketFactory_inTheUrl_takesPrecedence() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String url = server.newDatabase() + "?socketFactory=none.Such";

        assertThatThrownBy(() -> open(server, url, Deadline.in(Duration.ZERO)).close())
                .hasMessageContaining("none.Such");
    }

    private static Connections open(PostgresServer server, String url) throws SQLException {
        return open(server, url, Deadline.in(Commands.CALL));
    }

    private static Connections open(PostgresServer server, String url, Deadline deadline) throws SQLException {
        return new PostgreSqlType()
                .open(
                        new JdbcUrl(url),
                        new DatabaseType.Settings(
                                Optional.of(server.username()),
                                Optional.of(server.password()),
                                1,
                                PooledConnections.MAX_LIFETIME,
                                Commands.CALL,
                                false,
                                deadline));
    }

    /** The server writes the files itself: it may run as another user. */
    private static void encrypt(PostgresServer server, String url, SelfSigned certificate) throws Exception {
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement()) {
            write(connection, "server.crt", certificate.pem());
            write(connection, "server.key", certificate.key());
            statement.execute("ALTER SYSTEM SET ssl = on");
            statement.execute("SELECT pg_reload_conf()");
        }
        Await.until("it encrypts", () -> {
            try (Connection connection = server.connect(url + "?sslmode=prefer")) {
                return encrypted(connection);
            }
        });
    }

    private static void write(Connection connection, String file, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("COPY (SELECT unnest(string_to_array('" + text.strip() + "', E'\\n')))"
                    + " TO PROGRAM 'umask 077 && cat > " + file + "'");
        }
    }

    private static boolean encrypted(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static Socket socket(Connection connection) throws Exception {
        Object executor = connection.unwrap(BaseConnection.class).getQueryExecutor();
        Field stream = QueryExecutorBase.class.getDeclaredField("pgStream");
        stream.setAccessible(true);
        return ((PGStream) stream.get(executor)).getSocket();
    }
}
