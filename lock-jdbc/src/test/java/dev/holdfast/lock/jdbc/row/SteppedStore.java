package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;

/** A store that reads the time from a table, which a test steps. */
public final class SteppedStore {

    /** The table has one row, with microseconds since 1970. */
    public static final String CLOCK = "(SELECT micros FROM stepped_clock)";

    private SteppedStore() {}

    /** Prunes after each release. */
    public static Database on(Dialect dialect, JdbcUrl url) {
        Dialect stepped = (Dialect) Proxy.newProxyInstance(
                Dialect.class.getClassLoader(), new Class<?>[] {Dialect.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("clock")) {
                        return CLOCK;
                    }
                    try {
                        return method.invoke(dialect, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new RowLockDatabase(stepped, url, Duration.ofMinutes(1), Duration.ofMillis(1));
    }
}
