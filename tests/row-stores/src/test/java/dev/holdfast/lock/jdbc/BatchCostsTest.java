package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.jdbc.server.SqliteDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How much is sent for a batch: on a slow network leases are lost if that grows with their number. */
@Tag("first-build")
@Timeout(600)
class BatchCostsTest {

    private static final Namespace NAMESPACE = new Namespace("test");

    /** As many as the engine sends at once. */
    private static final int MANY = 256;

    @TempDir
    private static Path directory;

    static Stream<RowDatabase> databases() {
        return Stream.of(
                MariaDbDatabase.of(MariaDbServer.shared()),
                H2Database.inMemory(),
                new SqliteDatabase("jdbc:sqlite:" + directory.resolve("costs.db")));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void batch_ofManyCommands_sendsNoMoreThanOneOfFew(RowDatabase database) {
        Opened.store(database.settings()).close(); // makes the tables
        CountingDataSource source = new CountingDataSource(database);
        try (LockStore store = Opened.on(source, NAMESPACE)) {
            Costs few = costs(store, source, "few", 8);
            Costs many = costs(store, source, "many", MANY);
            assertThat(many).isEqualTo(few);
            assertThat(many.largest()).as("of %s", many).isLessThanOrEqualTo(16);
        }
    }

    /** On connections to an application's pool, where each statement takes a round trip. */
    private record Costs(int acquires, int renewals, int refusals, int releases) {
        int largest() {
            return Stream.of(acquires, renewals, refusals, releases)
                    .max(Integer::compare)
                    .orElseThrow();
        }
    }

    private static Costs costs(LockStore store, CountingDataSource source, String prefix, int size) {
        List<AcquisitionId> holders = ids(size);
        List<AcquisitionId> strangers = ids(size);
        return new Costs(
                cost(store, source, LockReply.Granted.class, commands(prefix, holders, Commands::acquire)),
                cost(
                        store,
                        source,
                        LockReply.Granted.class,
                        commands(prefix, holders, (name, id) -> renew(name, id, Commands.LEASE))),
                cost(store, source, LockReply.Busy.class, commands(prefix, strangers, Commands::acquire)),
                cost(
                        store,
                        source,
                        LockReply.Released.class,
                        commands(prefix, holders, (name, id) -> release(name, id, Commands.LEASE, Duration.ZERO))));
    }

    /** How much the batch sends. What the pruning sends, on another connection, is left out. */
    private static int cost(
            LockStore store, CountingDataSource source, Class<? extends LockReply> reply, List<LockCommand> commands) {
        source.takeAll();
        assertThat(store.execute(commands, Commands.CALL))
                .hasSize(commands.size())
                .allMatch(reply::isInstance);
        return source.takeAll().stream()
                .filter(sent -> sent.stream()
                        .anyMatch(sql -> sql.contains("INTO holdfast_lock")
                                || sql.contains("INTO holdfast_tombstone")
                                || sql.contains("'tombstone'")))
                .mapToInt(List::size)
                .sum();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void batch_ofManyWaiters_sendsFarLessThanAStatementForEach(RowDatabase database) {
        Opened.store(database.settings()).close(); // makes the tables
        CountingDataSource source = new CountingDataSource(database);
        try (LockStore store = Opened.on(source, NAMESPACE)) {
            List<AcquisitionId> holders = ids(MANY);
            List<AcquisitionId> first = ids(MANY);
            List<AcquisitionId> second = ids(MANY);
            store.execute(commands("waited", holders, Commands::acquire), Commands.CALL);
            store.execute(commands("waited", first, Commands::queue), Commands.CALL);
            assertThat(cost(store, source, LockReply.Queued.class, commands("waited", second, Commands::queue)))
                    .isLessThanOrEqualTo(20);
            assertThat(cost(
                            store,
                            source,
                            LockReply.Released.class,
                            commands("waited", first, (name, id) -> release(name, id, Duration.ZERO, Commands.LEASE))))
                    .isLessThanOrEqualTo(20);
        }
    }

    /** Over connections of the store's own, where statements travel together. */
    @Test
    void batch_ofManyCommandsToMariaDb_takesTwoRoundTrips() {
        RowDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
        AtomicInteger turns = new AtomicInteger();
        try (FaultyProxy proxy = new FaultyProxy(database.address(), () -> {
                    Direction[] last = {Direction.TO_CLIENT};
                    return (direction, bytes, length) -> {
                        synchronized (last) {
                            if (direction == Direction.TO_SERVER && last[0] == Direction.TO_CLIENT) {
                                turns.incrementAndGet();
                            }
                            last[0] = direction;
                        }
                    };
                });
                LockStore store = Opened.store(database.settings(
                        "lock.jdbc.url", database.urlThrough(proxy.port()), "lock.jdbc.pool-size", "1"))) {
            int ofNewRows = Integer.MAX_VALUE;
            int ofRenewals = Integer.MAX_VALUE;
            // The server may reply before it has all of a batch, and prune meanwhile: that adds turns, and nothing
            // removes one.
            for (String prefix : List.of("one", "two", "three", "four")) {
                List<AcquisitionId> holders = ids(MANY);
                ofNewRows = Math.min(ofNewRows, turns(store, turns, commands(prefix, holders, Commands::acquire)));
                ofRenewals = Math.min(
                        ofRenewals,
                        turns(store, turns, commands(prefix, holders, (name, id) -> renew(name, id, Commands.LEASE))));
            }
            assertThat(ofNewRows).isLessThanOrEqualTo(4);
            assertThat(ofRenewals).isLessThanOrEqualTo(3); // one is the pool's, which sees whether the connection lives
        }
    }

    private static int turns(LockStore store, AtomicInteger turns, List<LockCommand> commands) {
        turns.set(0);
        assertThat(store.execute(commands, Commands.CALL)).allMatch(LockReply.Granted.class::isInstance);
        return turns.get();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void pruning_ofManyIdleRows_sendsFarLessThanAStatementForEach(RowDatabase database) throws SQLException {
        Opened.store(database.settings()).close(); // makes the tables
        CountingDataSource source = new CountingDataSource(database);
        try (LockStore store = Opened.on(source, NAMESPACE)) {
            List<AcquisitionId> holders = new ArrayList<>();
            int batches = 8;
            for (int batch = 0; batch < batches; batch++) {
                List<AcquisitionId> each = ids(MANY);
                store.execute(commands("idle" + batch, each, Commands::acquire), Commands.CALL);
                holders.addAll(each);
            }
            database.execute("UPDATE holdfast_lock SET state = 'free', expires_at = expires_at - 3600000000");
            source.takeAll();
            AtomicInteger calls = new AtomicInteger();
            Await.until("the rows are gone", () -> {
                ask(store, release("nothing", id()));
                calls.incrementAndGet();
                return database.number("SELECT count(*) FROM holdfast_lock") == 0;
            });
            int sent = source.takeAll().stream().mapToInt(List::size).sum();
            assertThat(sent - 20 * calls.get()).as("in %s calls", calls).isLessThan(holders.size() / 10);
        }
    }

    private static List<AcquisitionId> ids(int size) {
        return Stream.generate(Commands::id).limit(size).toList();
    }

    private static List<LockCommand> commands(
            String prefix, List<AcquisitionId> ids, BiFunction<String, AcquisitionId, ? extends LockCommand> command) {
        List<LockCommand> commands = new ArrayList<>();
        for (int each = 0; each < ids.size(); each++) {
            commands.add(command.apply(prefix + " " + each, ids.get(each)));
        }
        return commands;
    }
}
