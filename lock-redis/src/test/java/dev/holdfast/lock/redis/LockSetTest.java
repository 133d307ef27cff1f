package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.LEASE;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Acquires and releases that travel in one call are each judged by itself. */
class LockSetTest extends StoreFixture {

    private static final String TOKEN = "holdfast:{test:0}:token";
    private static final LockReply RELEASED = new LockReply.Released(true);

    @Test
    void plainCommands_onDifferentLocks_travelInOneCall() {
        AcquisitionId holder = id();
        List<LockCommand> acquires = new ArrayList<>();
        List<LockCommand> releases = new ArrayList<>();
        for (int at = 0; at < 20; at++) {
            acquires.add(acquire("lock " + at, holder));
            releases.add(release("lock " + at, holder));
        }
        answered(store, acquire("another", id()), LockReply.Granted.class); // the server knows the scripts from then on
        try (CommandRecorder commands = new CommandRecorder(server)) {
            assertThat(store.execute(acquires, CALL)).hasOnlyElementsOfType(LockReply.Granted.class);
            assertThat(commands.count("EVALSHA")).isOne();
            commands.forget();
            assertThat(store.execute(releases, CALL)).containsOnly(RELEASED);
            assertThat(commands.count("EVALSHA")).isOne();
        }
    }

    @Test
    void commandsThatAreNotPlain_areDecidedByThemselves() {
        AcquisitionId holder = id();
        List<LockCommand> acquires = new ArrayList<>();
        List<LockCommand> releases = new ArrayList<>();
        for (int at = 0; at < 20; at++) {
            acquires.add(acquire("lock " + at, holder));
            releases.add(
                    switch (at % 4) {
                        case 0 -> release("lock " + at, id());
                        case 1 -> kept("lock " + at, holder);
                        default -> release("lock " + at, holder);
                    });
        }
        answered(store, queue("lock 4", id()), LockReply.Granted.class);
        try (CommandRecorder commands = new CommandRecorder(server)) {
            List<LockReply> replies = new ArrayList<>(store.execute(acquires, CALL));
            assertThat(replies.remove(4)).isInstanceOf(LockReply.Busy.class);
            assertThat(replies).hasOnlyElementsOfType(LockReply.Granted.class);
            assertThat(commands.count("EVALSHA"))
                    .as("a set, and what it has left")
                    .isEqualTo(2);
            commands.forget();

            List<LockReply> released = store.execute(releases, CALL);
            for (int at = 0; at < 20; at++) {
                assertThat(released.get(at)).as("at " + at).isEqualTo(new LockReply.Released(at % 4 != 0));
            }
            assertThat(commands.count("EVALSHA"))
                    .as("a set, five that are kept, and five that it has left")
                    .isEqualTo(11);
        }
    }

    @Test
    void connection_whenItEndsBehindASet_failsWhatTheSetHasLeft() {
        AcquisitionId holder = id();
        answered(store, acquire("held", holder), LockReply.Granted.class);
        answered(store, acquire("busy", id()), LockReply.Granted.class);
        AtomicBoolean isReply = new AtomicBoolean();
        AtomicReference<FaultyProxy> toCut = new AtomicReference<>();
        try (FaultyProxy proxy = new FaultyProxy(server.address(), () -> (direction, bytes, length) -> {
                    boolean isNext = isReply.getAndSet(direction == Direction.TO_CLIENT);
                    FaultyProxy each = toCut.get();
                    if (each != null && isNext && direction == Direction.TO_SERVER) {
                        each.cut();
                    }
                });
                LockStore remote = TestStores.store(ProxiedRedis.uri(server, proxy))) {
            answered(remote, acquire("another", id()), LockReply.Granted.class);
            isReply.set(false);
            toCut.set(proxy);

            List<LockReply> replies = remote.execute(
                    List.of(acquire("free", id()), acquire("busy", id()), release("held", holder)), CALL);

            assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
            assertThat(replies.get(1)).isInstanceOf(LockReply.Unavailable.class);
            assertThat(replies.get(2)).isEqualTo(RELEASED);
        }
    }

    private static LockCommand kept(String name, AcquisitionId holder) {
        return new LockCommand.Release(new LockName(name), holder, LEASE, Duration.ZERO);
    }

    @Test
    void commands_onContendedLocks_travelWithoutSets() {
        List<LockCommand> contended = new ArrayList<>();
        for (int at = 0; at < 8; at++) {
            answered(store, acquire("lock " + at, id()), LockReply.Granted.class);
            contended.add(acquire("lock " + at, id()));
        }
        try (CommandRecorder commands = new CommandRecorder(server)) {
            assertThat(store.execute(contended, CALL)).hasOnlyElementsOfType(LockReply.Busy.class);
            assertThat(commands.count("EVALSHA")).isEqualTo(1 + 8);
            commands.forget();
            for (int call = 0; call < 16; call++) {
                assertThat(store.execute(contended, CALL)).hasOnlyElementsOfType(LockReply.Busy.class);
            }
            assertThat(commands.count("EVALSHA")).isEqualTo(16 * 8);
            commands.forget();
            store.execute(contended, CALL);
            assertThat(commands.count("EVALSHA")).as("another attempt").isEqualTo(1 + 8);
        }
    }

    @Test
    void acquires_withOtherLeases_haveTheirOwn() {
        List<LockCommand> acquires = new ArrayList<>();
        for (int at = 0; at < 6; at++) {
            acquires.add(new LockCommand.Acquire(
                    new LockName("lock " + at), id(), LEASE.multipliedBy(1 + at / 3), false, 0, "owner " + at % 2));
        }

        List<LockReply> replies = store.execute(acquires, CALL);

        for (int at = 0; at < 6; at++) {
            assertThat(((LockReply.Granted) replies.get(at)).remaining()).isEqualTo(LEASE.multipliedBy(1 + at / 3));
            assertThat(admin.get("holdfast:{test:0}:lock:lock " + at)).endsWith(" owner " + at % 2);
            assertThat(admin.pttl("holdfast:{test:0}:lock:lock " + at))
                    .isGreaterThan(LEASE.toMillis() * (at / 3))
                    .isLessThanOrEqualTo(LEASE.toMillis() * (1 + at / 3));
        }
    }

    @Test
    void commandsOnOneLock_amongOthers_keepTheirOrder() {
        AcquisitionId first = id();
        AcquisitionId second = id();
        LockCommand doubtful = new LockCommand.Release(new LockName("job"), second, Duration.ZERO, LEASE);

        assertThat(store.execute(
                        List.of(
                                acquire("one", first),
                                acquire("job", first),
                                acquire("two", first),
                                acquire("job", second),
                                renew("job", first),
                                acquire("three", first),
                                release("job", first),
                                acquire("four", first),
                                acquire("job", second),
                                acquire("five", first),
                                doubtful,
                                acquire("six", first),
                                acquire("job", second)),
                        CALL))
                .extracting(LockReply::getClass)
                .isEqualTo(List.of(
                        LockReply.Granted.class,
                        LockReply.Granted.class,
                        LockReply.Granted.class,
                        LockReply.Busy.class,
                        LockReply.Granted.class,
                        LockReply.Granted.class,
                        LockReply.Released.class,
                        LockReply.Granted.class,
                        LockReply.Granted.class,
                        LockReply.Granted.class,
                        LockReply.Released.class,
                        LockReply.Granted.class,
                        LockReply.Gone.class));
    }

    @Test
    void acquires_withoutTokenLeft_failByThemselves() {
        long last = LockReply.Granted.MAX_TOKEN;
        AcquisitionId holder = id();
        answered(store, acquire("held", holder), LockReply.Granted.class);

        List<LockReply> replies =
                store.execute(List.of(above("none left", last), release("held", holder), acquire("free", id())), CALL);
        assertThat(replies.get(0)).isInstanceOf(LockReply.Unavailable.class);
        assertThat(replies.get(1)).isEqualTo(RELEASED);
        assertThat(replies.get(2)).isInstanceOf(LockReply.Granted.class);

        replies = store.execute(List.of(above("the last", last - 1), acquire("after it", id())), CALL);
        assertThat(((LockReply.Granted) replies.get(0)).token()).isEqualTo(last);
        assertThat(((LockReply.Unavailable) replies.get(1)).cause()).hasMessageContaining("no token is left");
        assertThat(admin.keys("*:lock:after it")).isEmpty();
    }

    @Test
    void acquires_withOtherFloors_leaveEachOtherTokens() {
        long last = LockReply.Granted.MAX_TOKEN;
        answered(store, acquire("busy", id()), LockReply.Granted.class);

        List<LockReply> replies =
                store.execute(List.of(acquire("before", id()), above("busy", last - 1), acquire("behind", id())), CALL);

        assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(1)).isInstanceOf(LockReply.Busy.class);
        assertThat(replies.get(2)).isInstanceOf(LockReply.Granted.class);
        answered(store, acquire("afterwards", id()), LockReply.Granted.class);
    }

    private static LockCommand above(String name, long floor) {
        return new LockCommand.Acquire(new LockName(name), id(), LEASE, false, floor, "a test");
    }

    @Test
    void foreignTokenCounter_failsAcquiresOnly() {
        AcquisitionId holder = id();
        answered(store, acquire("held", holder), LockReply.Granted.class);
        admin.set(TOKEN, "a foreign value");

        List<LockReply> replies =
                store.execute(List.of(acquire("one", id()), release("held", holder), queue("two", id())), CALL);

        assertThat(replies.get(0)).isInstanceOf(LockReply.Unavailable.class);
        assertThat(replies.get(1)).isEqualTo(RELEASED);
        assertThat(replies.get(2)).isInstanceOf(LockReply.Unavailable.class);
        assertThat(admin.get(TOKEN)).isEqualTo("a foreign value");
    }

    @Test
    void server_withoutMemory_releasesFirstAndGrantsNothingElse() {
        AcquisitionId holder = id();
        for (String name : List.of("one", "two")) {
            answered(store, acquire(name, holder), LockReply.Granted.class);
        }
        Administrator.order(admin, "CONFIG", "SET", "maxmemory", "1");

        List<LockReply> replies =
                store.execute(List.of(acquire("first", id()), release("one", holder), release("two", holder)), CALL);
        assertThat(replies.subList(1, 3)).containsOnly(RELEASED);
        assertThat(replies.get(0)).as("in what the releases have freed").isInstanceOf(LockReply.Granted.class);

        String token = admin.get(TOKEN);
        assertThat(store.execute(List.of(acquire("free", id()), queue("also free", id())), CALL))
                .allSatisfy(reply ->
                        assertThat(((LockReply.Unavailable) reply).cause()).hasMessageContaining("OOM"));
        assertThat(admin.keys("*free")).isEmpty();
        assertThat(admin.get(TOKEN)).isEqualTo(token);
    }

    @Test
    void commands_atReplica_areAnsweredByNone() {
        AcquisitionId holder = id();
        for (String name : List.of("one", "two")) {
            answered(store, acquire(name, holder), LockReply.Granted.class);
        }
        Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");

        for (List<LockCommand> each : List.<List<LockCommand>>of(
                List.of(acquire("free", id()), acquire("also free", id())),
                List.of(release("one", holder), release("two", holder)),
                List.of(acquire("one", id()), queue("two", id())),
                List.of(acquire("one", holder), acquire("two", holder)),
                List.of(release("one", id()), release("free", id())))) {
            assertThat(store.execute(each, CALL))
                    .as("to " + each)
                    .allSatisfy(reply ->
                            assertThat(((LockReply.Unavailable) reply).cause()).hasMessageContaining("READONLY"));
        }
    }

    @Test
    void commands_atReplica_endTheConnection() {
        AcquisitionId holder = id();
        answered(store, acquire("held", holder), LockReply.Granted.class);
        Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
        for (List<LockCommand> each : List.<List<LockCommand>>of(
                List.of(acquire("free", id()), acquire("also free", id())),
                List.of(acquire("held", id()), release("free", id())),
                List.of(release("held", holder), release("free", id())))) {
            store.execute(each, CALL);
            long before = Administrator.connectionsMade(admin);
            store.execute(each, CALL);
            assertThat(Administrator.connectionsMade(admin)).as("after " + each).isEqualTo(before + 1);
        }
    }
}
