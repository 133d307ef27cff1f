package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * H2, whose INSERT fails at once on a row that another transaction has created, while a third one removes that row before it can be
 * locked.
 */
@Tag("second-build")
class H2RacesTest {

    private static final String INSERT = "INSERT INTO holdfast_lock ";
    /** In 2100, in microseconds: a row that is idle could be pruned between its creation and the store's, which then succeeds. */
    private static final long NOT_IDLE = 4_102_444_800_000_000L;

    private final RowDatabase database = H2Database.inMemory();
    /** How many more creations of the row of "raced" are overtaken so. */
    private final AtomicInteger races = new AtomicInteger();

    private final LockStore store = open();

    private LockStore open() {
        Opened.store(database.settings()).close(); // makes the tables
        return Opened.on(new Raced(), new Namespace("test"));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void acquire_whenTheRowIsCreatedAndRemovedByOthersManyTimes_isGranted() {
        races.set(25);

        assertThat(ask(store, acquire("raced", id()))).isInstanceOf(LockReply.Granted.class);
        assertThat(races).hasNonPositiveValue();
    }

    @Test
    void batch_whenARowIsCreatedAndRemovedByOthersManyTimes_failsForNoLock() {
        LockedRow.makeRows(store, "other");
        races.set(25);

        assertThat(store.execute(List.of(acquire("raced", id()), acquire("other", id())), Commands.CALL))
                .allMatch(LockReply.Granted.class::isInstance);
        assertThat(races).hasNonPositiveValue();
    }

    /** An application's connections, on which other transactions come between two statements. */
    private final class Raced extends AbstractDataSource {
        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = database.connect();
            return proxy(Connection.class, (method, arguments) -> {
                Object result = invoke(method, connection, arguments);
                return result instanceof PreparedStatement statement
                                && String.valueOf(arguments[0]).contains(INSERT)
                        ? raced(statement)
                        : result;
            });
        }

        private PreparedStatement raced(PreparedStatement statement) {
            return proxy(PreparedStatement.class, (method, arguments) -> {
                if (!method.getName().equals("execute") || races.getAndDecrement() <= 0) {
                    return invoke(method, statement, arguments);
                }
                database.execute(INSERT + "(namespace, name, token, owner, granted_at, expires_at, state) VALUES ("
                        + LockedRow.key("raced") + ", 0, '-', 0, " + NOT_IDLE + ", 'free')");
                try {
                    return invoke(method, statement, arguments);
                } finally {
                    database.execute("DELETE FROM holdfast_lock WHERE name = " + RowDatabase.literal("raced"));
                }
            });
        }
    }

    private interface Call {
        @Nullable
        Object handle(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.handle(method, arguments == null ? new Object[0] : arguments)));
    }

    private static @Nullable Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
