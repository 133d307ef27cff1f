package dev.holdfast.lock.jdbc.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.fencing.StaleLeaseException;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rows of a fence, its table, and what it refuses. */
@Tag("first-build")
@Timeout(300)
class FenceTest {

    private final Fence fence = Fence.create();

    @TempDir
    Path directory;

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void names_thatAreAlmostTheSame_haveRowsOfTheirOwn(FencedDatabase database) throws Exception {
        String url = newFence(database);
        List<String> names = List.of(
                "name",
                "Name",
                "name ",
                " name",
                "n\u00e4me",
                "na\u0308me",
                "name\n",
                "\u00dfs",
                "sss",
                "'",
                "%",
                "\\",
                "\ud83d\udd12".repeat(255),
                "\ud83d\udd12".repeat(254));
        try (Connection connection = database.connect(url)) {
            connection.setAutoCommit(false);
            for (int i = 0; i < names.size(); i++) {
                fence.enter(connection, names.get(i), 1_000 - i);
            }
            for (int i = 0; i < names.size(); i++) {
                fence.enter(connection, names.get(i), 1_000 - i);
            }
            connection.commit();
            assertThat(FencedDatabase.number(connection, "SELECT count(*) FROM holdfast_fence WHERE entries = 2"))
                    .isEqualTo(names.size());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void namespacesAndTables_withTheSameName_haveRowsOfTheirOwn(FencedDatabase database) throws Exception {
        String url = newFence(database);
        Fence inTable = fence.withTable("other_fence");
        try (Connection connection = database.connect(url)) {
            inTable.createTable(connection);
            connection.setAutoCommit(false);
            fence.enter(connection, "name", 3);
            fence.withNamespace("Default").enter(connection, "name", 2);
            inTable.enter(connection, "name", 1);
            connection.commit();
            assertThatThrownBy(() -> fence.enter(connection, "name", 2)).isInstanceOf(StaleLeaseException.class);
            connection.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void tables_areInstalledOnceTheyAreCreated(FencedDatabase database) throws Exception {
        try (Connection connection = database.connect(database.newUrl(directory))) {
            assertThat(fence.isInstalled(connection)).isFalse();
            fence.createTable(connection);
            assertThat(fence.isInstalled(connection)).isTrue();
            assertThat(fence.withTable("other_fence").isInstalled(connection)).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void createTable_byManyAtOnce_succeeds(FencedDatabase database) throws Exception {
        String url = database.newUrl(directory);
        database.connect(url)
                .close(); // a file of SQLite begins to write ahead, which two connections cannot begin at once
        CountDownLatch start = new CountDownLatch(1);
        List<FutureTask<?>> creators = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FutureTask<?> creator = Background.start("creator-" + i, () -> {
                try (Connection connection = database.connect(url)) {
                    Await.opened(start);
                    fence.createTable(connection);
                }
                return null;
            });
            creators.add(creator);
        }
        start.countDown();
        for (FutureTask<?> each : creators) {
            Await.result(each);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void enter_withoutTheTable_namesTheScript(FencedDatabase database) throws Exception {
        try (Connection connection = database.connect(database.newUrl(directory))) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> fence.enter(connection, "name", 1))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("the table holdfast_fence of the fence, or holdfast_fence_floor, is missing")
                    .hasMessageContaining("/table.sql")
                    .hasMessageContaining("Fence.createTable");
            connection.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void autoCommit_isRefusedByEnter_andNeededByCreateTable(FencedDatabase database) throws Exception {
        try (Connection connection = database.connect(newFence(database))) {
            assertThatThrownBy(() -> fence.enter(connection, "name", 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> fence.createTable(connection))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("auto-commit");
        }
    }

    @Test
    void enter_withALeaseThatIsOver_isRefusedBeforeTheDatabaseIsAsked() throws Exception {
        Properties memory = new Properties();
        memory.setProperty("lock.provider", "memory");
        try (Locks locks = Locks.open(memory);
                Connection connection = FencedDatabase.H2.connect(FencedDatabase.H2.newUrl(directory))) {
            connection.setAutoCommit(false);
            Lease lost =
                    locks.named("lost").withFixedLease(Duration.ofMillis(100)).acquire();
            Await.until("the lease is lost", () -> !lost.isHeld());
            Lease released = locks.named("released").acquire();
            released.close();
            LeaseGroup group = locks.acquireAll(List.of("b", "a"), Duration.ofSeconds(30));
            group.close();

            assertThatThrownBy(() -> fence.enter(connection, lost)).isInstanceOf(LockLostException.class);
            assertThatThrownBy(() -> fence.enter(connection, released)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> fence.enter(connection, group)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void enter_withALeaseAndAGroup_raisesTheirRows() throws Exception {
        Properties memory = new Properties();
        memory.setProperty("lock.provider", "memory");
        try (Locks locks = Locks.open(memory);
                Connection connection = FencedDatabase.H2.connect(newFence(FencedDatabase.H2));
                Lease lease = locks.named("lease").acquire();
                LeaseGroup group = locks.acquireAll(List.of("b", "a"), Duration.ofSeconds(30))) {
            connection.setAutoCommit(false);
            fence.enter(connection, lease);
            fence.enter(connection, group);
            connection.commit();
            for (String name : List.of("a", "b")) {
                assertThatThrownBy(() -> fence.enter(connection, name, group.fencingToken(name) - 1))
                        .isInstanceOf(StaleLeaseException.class);
            }
            try (StandardError log = StandardError.listen()) {
                assertThatThrownBy(() -> fence.enter(connection, "lease", lease.fencingToken() - 1))
                        .isInstanceOf(StaleLeaseException.class);
                assertThat(log.lines())
                        .anyMatch(line -> line.contains("the fence refused a transaction")
                                && line.contains("'lease' with fencing token " + (lease.fencingToken() - 1)));
            }
            connection.rollback();
        }
    }

    /** In the order of every other transaction that enters both, so that none waits for one that waits for it. */
    @Test
    void enter_withAGroup_isInTheOrderOfTheNames() throws Exception {
        FencedDatabase database = FencedDatabase.POSTGRESQL;
        String url = newFence(database);
        Properties memory = new Properties();
        memory.setProperty("lock.provider", "memory");
        try (Locks locks = Locks.open(memory);
                LeaseGroup group = locks.acquireAll(List.of("b", "a"), Duration.ofSeconds(30));
                Connection entering = database.connect(url, Connection.TRANSACTION_READ_COMMITTED);
                Connection other = database.connect(url, Connection.TRANSACTION_READ_COMMITTED);
                Statement statement = other.createStatement()) {
            fence.enter(entering, group);
            entering.commit();
            statement.execute("SELECT token FROM holdfast_fence WHERE name = 'a' FOR UPDATE");
            FutureTask<?> enter = Background.start("entering", () -> {
                fence.enter(entering, group);
                return null;
            });
            database.awaitWaiting(url, enter);

            try (ResultSet free = statement.executeQuery(
                    "SELECT token FROM holdfast_fence WHERE name = 'b' FOR UPDATE SKIP LOCKED")) {
                assertThat(free.next()).as("not entered yet").isTrue();
            }
            other.rollback();
            Await.result(enter);
            entering.rollback();
        }
    }

    @Test
    void enter_inAnUnknownDatabase_saysWhichItKnows() {
        DatabaseMetaData facts = stub(DatabaseMetaData.class, "getDatabaseProductName", "Informix");
        Connection connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> method.getName().equals("getMetaData") ? facts : (Object) false);
        assertThatThrownBy(() -> fence.enter(connection, "name", 1))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("PostgreSQL, MariaDB, MySQL, H2 and SQLite")
                .hasMessageContaining("'Informix'");
    }

    @Test
    void arguments_thatAreNotAllowed_areRefused() throws Exception {
        try (Connection connection = FencedDatabase.H2.connect(newFence(FencedDatabase.H2))) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> fence.enter(connection, "name", 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> fence.enter(connection, "", 1)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> fence.withTable("x; drop table y")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fence.withNamespace("")).isInstanceOf(IllegalArgumentException.class);
    }

    private static <T> T stub(Class<T> type, String method, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                FenceTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, called, arguments) -> called.getName().equals(method) ? answer : null));
    }

    private String newFence(FencedDatabase database) throws SQLException {
        String url = database.newUrl(directory);
        try (Connection connection = database.connect(url)) {
            fence.createTable(connection);
            fence.createTable(connection);
        }
        return url;
    }
}
