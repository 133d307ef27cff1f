package dev.holdfast.lock.jdbc.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.sqlite.SQLiteDataSource;

/** Connections of the application's after a call. */
class RestorationTest {

    private static final Restoration FAILING = () -> {
        throw new SQLException("for a test");
    };

    /** The work is committed, and its replies are known. */
    @Test
    void result_onAConnectionThatCannotBeRestored_isReturned() throws SQLException {
        try (Connection connection = new SQLiteDataSource().getConnection()) {
            assertThat(Restoration.<String>after(same -> "done", connection, FAILING))
                    .isEqualTo("done");
        }
    }

    @Test
    void error_onAConnectionThatCannotBeRestored_isThatOfTheWork() throws SQLException {
        SQLException failure = new SQLException("of the work");
        try (Connection connection = new SQLiteDataSource().getConnection()) {
            Connections.Work<String> work = same -> {
                throw failure;
            };
            assertThatThrownBy(() -> Restoration.after(work, connection, FAILING))
                    .isSameAs(failure);
        }
    }

    /** So that a failure to do so replaces no outcome. */
    @Test
    void connection_thatCannotBeGivenBack_throwsNothing() {
        AtomicBoolean closed = new AtomicBoolean();
        Restoration.giveBack((Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    closed.set(method.getName().equals("close"));
                    throw new SQLException("for a test");
                }));
        assertThat(closed).isTrue();
    }
}
