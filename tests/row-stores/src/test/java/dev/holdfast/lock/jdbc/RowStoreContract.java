package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;

import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.LockStoreContract;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;

/** The conformance kit on a database with the tables of {@link dev.holdfast.lock.jdbc.row.RowLockDatabase}. */
abstract class RowStoreContract extends LockStoreContract {

    /** How long a round of pruning may take before another one is begun. */
    private static final Duration ROUND = Duration.ofSeconds(5);

    abstract RowDatabase database();

    @Override
    protected Properties configuration() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "jdbc");
        properties.putAll(database().settings());
        return properties;
    }

    @Override
    protected BreakableConnection breakableConnection() {
        FaultyProxy proxy = new FaultyProxy(database().address());
        return new BreakableConnection() {
            @Override
            public Properties configuration() {
                Properties properties = RowStoreContract.this.configuration();
                properties.setProperty("lock.jdbc.url", database().urlThrough(proxy.port()));
                return properties;
            }

            @Override
            public void cut() {
                proxy.cut();
            }

            @Override
            public void silence() {
                proxy.hold(Direction.TO_SERVER);
                proxy.hold(Direction.TO_CLIENT);
            }

            @Override
            public void heal() {
                proxy.pass();
            }

            @Override
            public void close() {
                proxy.close();
            }
        };
    }

    @Override
    protected void restart() {
        database().kill();
        database().start();
    }

    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        long micros = by.toNanos() / 1_000;
        String where = " WHERE namespace = " + literal(namespace);
        execute("UPDATE holdfast_lock SET token = token + " + micros + ", granted_at = granted_at + " + micros
                + ", expires_at = expires_at + " + micros + ", promoted_at = promoted_at + " + micros + where);
        execute("UPDATE holdfast_share SET token = token + " + micros + ", granted_at = granted_at + " + micros
                + ", expires_at = expires_at + " + micros + where);
        execute("UPDATE holdfast_waiter SET seen_at = seen_at + " + micros + ", due_at = due_at + " + micros + where);
        execute("UPDATE holdfast_tombstone SET expires_at = expires_at + " + micros + where);
    }

    @Override
    protected void prune(Namespace namespace) {
        long now = (Instant.now().toEpochMilli() + 1) * 1_000;
        String where = " WHERE namespace = " + literal(namespace) + " AND expires_at <= " + now;
        String idleLock = where + " AND name NOT IN (SELECT name FROM holdfast_waiter WHERE namespace = "
                + literal(namespace) + " AND seen_at > " + (now - QueueTimes.WAITER_TTL.toMillis() * 1_000) + ")";
        execute("UPDATE holdfast_lock SET expires_at = expires_at - 120000000" + idleLock);
        // An id whose lease or share has ended is Gone for a minute.
        execute("UPDATE holdfast_tombstone SET expires_at = " + now + " WHERE namespace = " + literal(namespace)
                + " AND expires_at <= " + (now + 60_000_000) + " AND name NOT IN (SELECT name FROM holdfast_lock WHERE"
                + " namespace = " + literal(namespace) + " AND expires_at > " + now + ")");
        String idle = "SELECT (SELECT count(*) FROM holdfast_lock" + idleLock
                + ") + (SELECT count(*) FROM holdfast_tombstone" + where + ")";
        Await.until("nothing idle is left", () -> {
            try (LockStore store = Opened.store(database().settings())) {
                long began = System.nanoTime();
                Await.until("the round is over, or late", () -> {
                    ask(store, release("nothing", id())); // the first starts a round; in SQLite each removes a few rows
                    return database().number(idle) == 0 || System.nanoTime() - began > ROUND.toNanos();
                });
            }
            return database().number(idle) == 0;
        });
    }

    @Override
    protected long namesKept(Namespace namespace) {
        String where = " WHERE namespace = " + literal(namespace) + ")";
        try {
            return database()
                    .number("SELECT (SELECT count(*) FROM holdfast_lock" + where
                            + " + (SELECT count(*) FROM holdfast_waiter" + where
                            + " + (SELECT count(*) FROM holdfast_tombstone" + where
                            + " + (SELECT count(*) FROM holdfast_share" + where.replace(")", "")
                            + " AND name NOT IN (SELECT name FROM holdfast_lock" + where + ")");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A namespace as its columns hold it. */
    String literal(Namespace namespace) {
        return RowDatabase.literal(namespace.value());
    }

    private void execute(String sql) {
        try {
            database().execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
