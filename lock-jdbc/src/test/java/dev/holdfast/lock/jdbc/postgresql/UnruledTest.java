package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.JdbcLockStore;
import dev.holdfast.lock.jdbc.connection.CallersSource;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A composite that is founded while somebody uses the namespace alone. */
class UnruledTest {

    private static final Namespace NAMESPACE = new Namespace("app");

    private final PGSimpleDataSource source = new PGSimpleDataSource();

    @Test
    void isNoticedAfterThePauseAndFromThenOnEveryTime() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        source.setUrl(server.newDatabase());
        source.setUser(server.username());
        source.setPassword(server.password());
        JdbcLockStore.of(source, NAMESPACE).close(); // makes the tables
        Unruled often = new Unruled(Duration.ZERO);
        Unruled seldom = new Unruled(Duration.ofDays(1));
        nowAndThen(often);
        nowAndThen(seldom);
        try (Connection connection = source.getConnection()) {
            connection
                    .createStatement()
                    .execute("INSERT INTO holdfast_regime VALUES ('app', 0, 1, 'FALLBACK', '', 1, 1, 0, now(), '')");
        }
        nowAndThen(seldom);
        for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> nowAndThen(often))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("lock.provider=composite");
        }
    }

    private void nowAndThen(Unruled unruled) throws SQLException {
        try (CallersSource connections = new CallersSource(source)) {
            unruled.requireNowAndThen(connections, "public", NAMESPACE, Deadline.in(Duration.ofSeconds(10)));
        }
    }
}
