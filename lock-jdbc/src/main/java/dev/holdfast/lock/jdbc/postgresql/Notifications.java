package dev.holdfast.lock.jdbc.postgresql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a connection hears from the server while nobody asks. JDBC has no word for it; the driver has one ({@code
 * PGConnection}), but is the application's to bring: it is called by its name.
 */
final class Notifications {

    private final Object connection;
    private final Method notifications;
    private final Method parameter;

    /** @throws SQLException if the connection is not one of the driver's, nor wraps one */
    Notifications(Connection connection) throws SQLException {
        try {
            Class<?> type = Class.forName("org.postgresql.PGConnection");
            this.connection = connection.unwrap(type);
            this.notifications = type.getMethod("getNotifications", int.class);
            this.parameter = Class.forName("org.postgresql.PGNotification").getMethod("getParameter");
        } catch (ReflectiveOperationException e) {
            throw new SQLException("the driver of PostgreSQL is not there, or another one", e);
        }
    }

    /**
     * The payloads of what was heard since the last time.
     *
     * @param millis to wait if there is none; positive
     */
    List<String> next(int millis) throws SQLException {
        try {
            List<String> payloads = new ArrayList<>();
            if (notifications.invoke(connection, millis) instanceof Object[] heard) {
                for (Object each : heard) {
                    payloads.add(String.valueOf(parameter.invoke(each)));
                }
            }
            return payloads;
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof SQLException failure ? failure : new SQLException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new SQLException(e);
        }
    }
}
