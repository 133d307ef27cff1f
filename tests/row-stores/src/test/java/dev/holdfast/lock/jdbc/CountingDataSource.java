package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A data source of new connections, which notes what is sent over each: about a round trip for each statement. */
final class CountingDataSource extends AbstractDataSource {

    private static final Set<String> SENT = Set.of("commit", "rollback", "setAutoCommit");

    private final RowDatabase database;
    private final Queue<List<String>> connections = new ConcurrentLinkedQueue<>();

    CountingDataSource(RowDatabase database) {
        this.database = database;
    }

    /** What was sent over each connection that was given back, and forgets it. */
    List<List<String>> takeAll() {
        List<List<String>> all = new ArrayList<>();
        for (List<String> each = connections.poll(); each != null; each = connections.poll()) {
            all.add(each);
        }
        return all;
    }

    @Override
    public Connection getConnection() throws SQLException {
        List<String> sent = new ArrayList<>();
        return proxy(Connection.class, database.connect(), (method, result, argument) -> {
            if (SENT.contains(method)) {
                sent.add(method);
            } else if (method.equals("close")) {
                connections.add(sent);
            }
            if (result instanceof PreparedStatement statement) {
                return counted(PreparedStatement.class, statement, String.valueOf(argument), sent);
            } else if (result instanceof Statement statement) {
                return counted(Statement.class, statement, "", sent);
            }
            return result;
        });
    }

    private static <T> T counted(Class<T> type, T statement, String prepared, List<String> sent) {
        return proxy(type, statement, (method, result, argument) -> {
            if (method.startsWith("execute")) {
                sent.add(argument == null ? prepared : String.valueOf(argument));
            }
            return result;
        });
    }

    /** Sees each call and its result, which it may replace. */
    private interface Observer {
        @Nullable
        Object after(String method, @Nullable Object result, @Nullable Object firstArgument);
    }

    private static <T> T proxy(Class<T> type, Object target, Observer observer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> observer.after(
                        method.getName(), invoke(method, target, arguments), arguments == null ? null : arguments[0])));
    }

    private static @Nullable Object invoke(Method method, Object target, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
