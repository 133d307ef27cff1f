package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.jdbc.connection.BareSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * One connection as a data source, for one thread: handed out as often as it is asked for, and not closed by those who give
 * it back. Flyway wants several at once, of a pool that may have two.
 */
final class OneConnection extends BareSource {

    private final Connection connection;

    /** @param connection closed by whoever opened it */
    OneConnection(Connection connection) {
        this.connection = connection;
    }

    @Override
    public Connection getConnection() {
        return (Connection) Proxy.newProxyInstance(
                OneConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this::pass);
    }

    private @Nullable Object pass(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getName().equals("close")) {
            return null;
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
