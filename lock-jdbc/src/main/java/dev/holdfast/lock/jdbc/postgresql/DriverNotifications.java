package dev.holdfast.lock.jdbc.postgresql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The notifications that a connection has received. Uses reflection on the driver's {@code PGConnection}, as JDBC has no method
 * for this, and the application provides the driver.
 */
final class DriverNotifications {

    private final Object connection;
    private final Method notifications;
    private final Method parameter;

    /** @throws SQLException if the connection neither is the driver's nor wraps one */
    DriverNotifications(Connection connection) throws SQLException {
        try {
            Class<?> type = Class.forName("org.postgresql.PGConnection");
            this.connection = connection.unwrap(type);
            this.notifications = type.getMethod("getNotifications", int.class);
            this.parameter = Class.forName("org.postgresql.PGNotification").getMethod("getParameter");
        } catch (ReflectiveOperationException e) {
            throw new SQLException("the driver of PostgreSQL is missing, or is a different one", e);
        }
    }

    /**
     * The payloads that were received since the last call.
     *
     * @param millis the time to wait if there are none; positive
     */
    List<String> await(int millis) throws SQLException {
        try {
            List<String> payloads = new ArrayList<>();
            if (notifications.invoke(connection, millis) instanceof Object[] received) {
                for (Object each : received) {
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
