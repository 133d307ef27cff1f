package dev.holdfast.lock.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;

/** Connections that take no notice of a method. */
final class Sessions {

    private Sessions() {}

    /** As behind a pooler that lends another session for the next transaction. */
    static Connection withoutSetSchema(Connection connection) {
        return without("setSchema", connection, () -> {});
    }

    /**
     * As of a client that may stop: it never closes the connection, however long there is no reply.
     *
     * @param beginning what happens when it begins a transaction
     */
    static Connection withoutNetworkTimeout(Connection connection, Runnable beginning) {
        return without("setNetworkTimeout", connection, beginning);
    }

    private static Connection without(String ignored, Connection connection, Runnable beginning) {
        return (Connection) Proxy.newProxyInstance(
                Sessions.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(ignored)) {
                        return null;
                    } else if (method.getName().equals("setAutoCommit") && arguments[0].equals(false)) {
                        beginning.run();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
