package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.LEASE;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.ask;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.faults.ReceivedSignals;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Shares on a real server: what they cost, what they leave, and who hears of them. */
class SharesTest extends StoreFixture {

    private static final LockName NAME = new LockName("job");
    private static final String KEYS = "holdfast:{test:0}:";
    private static final Share READER = Share.shared();
    private static final Pattern STATISTICS = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)");

    private static LockCommand share(AcquisitionId id, Share share, Duration lease, boolean queue) {
        return new LockCommand.Acquire(NAME, id, lease, queue, 0, "a test", share);
    }

    private static LockCommand read(AcquisitionId id) {
        return share(id, READER, LEASE, false);
    }

    private static LockCommand awaitRead(AcquisitionId id) {
        return share(id, READER, LEASE, true);
    }

    private static LockCommand release(AcquisitionId id, Duration minimumHold) {
        return new LockCommand.Release(NAME, id, minimumHold, Duration.ZERO, READER);
    }

    @Test
    void share_besideManyOthers_costsWhatItCostsBesideOne() {
        answered(store, read(id()), LockReply.Granted.class);
        AcquisitionId second = id();
        Map<String, Integer> besideOne = commands(read(second));
        Map<String, Integer> releaseBesideOne = commands(release(second, Duration.ZERO));
        List<LockCommand> others = new ArrayList<>();
        for (int at = 0; at < 500; at++) {
            others.add(read(id()));
        }
        assertThat(store.execute(others, CALL)).hasOnlyElementsOfType(LockReply.Granted.class);

        AcquisitionId last = id();
        assertThat(commands(read(last))).isEqualTo(besideOne);
        assertThat(commands(release(last, Duration.ZERO))).isEqualTo(releaseBesideOne);
        assertThat(besideOne.values().stream().mapToInt(each -> each).sum())
                .as("the calls of a script that grants a share, and its own: " + besideOne)
                .isEqualTo(12 + 1);
    }

    @Test
    void exclusivePair_asBeforeThereWereShares_callsTheSameCommands() {
        AcquisitionId first = id();
        answered(store, acquire("job", first), LockReply.Granted.class);
        answered(store, TestCommands.release("job", first), LockReply.Released.class);
        AcquisitionId id = id();

        assertThat(commands(acquire("job", id))).isEqualTo(Map.of("evalsha", 1, "mget", 1, "time", 1, "set", 2));
        assertThat(commands(TestCommands.release("job", id))).isEqualTo(Map.of("evalsha", 1, "mget", 1, "del", 1));
    }

    private Map<String, Integer> commands(LockCommand command) {
        Administrator.order(admin, "CONFIG", "RESETSTAT");
        assertThat(ask(store, command)).isNotInstanceOf(LockReply.Unavailable.class);
        Map<String, Integer> commands = new TreeMap<>();
        Matcher line = STATISTICS.matcher(admin.info("commandstats"));
        while (line.find()) {
            if (!line.group(1).startsWith("config")
                    && !line.group(1).equals("eval")) { // the test's own, and a script's first call
                commands.merge(line.group(1), Integer.valueOf(line.group(2)), Integer::sum);
            }
        }
        return commands;
    }

    @Test
    void shares_thatExpire_leaveTheTokenOnly() {
        answered(store, share(id(), READER, Duration.ofMillis(20), false), LockReply.Granted.class);
        answered(store, share(id(), READER, Duration.ofMillis(40), false), LockReply.Granted.class);

        Await.until("all has ended", () -> admin.keys("*").equals(Set.of(KEYS + "token")));
    }

    @Test
    void lock_asLongAsOneShareIsOut_isHeldForItsTimeOnly() {
        AcquisitionId brief = id();
        AcquisitionId longer = id();
        answered(store, share(brief, READER, Duration.ofMinutes(1), false), LockReply.Granted.class);
        answered(store, share(longer, READER, Duration.ofMinutes(9), false), LockReply.Granted.class);
        assertThat(admin.pttl(KEYS + "lock:job"))
                .isGreaterThan(Duration.ofMinutes(8).toMillis());

        answered(store, release(longer, Duration.ZERO), LockReply.Released.class);

        for (String key : List.of("lock:job", "ends:job", "shares:job")) {
            assertThat(admin.pttl(KEYS + key))
                    .as(key)
                    .isBetween(1L, Duration.ofSeconds(61).toMillis());
        }
    }

    @Test
    void release_ofTheExclusiveLock_notifiesEachReaderUpToTheNextWriter() throws Exception {
        AcquisitionId writer = id();
        List<AcquisitionId> readers = List.of(id(), id(), id());
        AcquisitionId nextWriter = id();
        AcquisitionId lastReader = id();
        ReceivedSignals heard = new ReceivedSignals();
        AutoCloseable listening = store.subscribe(heard);
        try {
            heard.await(Notification.ANY, 0);
            answered(store, acquire("job", writer), LockReply.Granted.class);
            readers.forEach(reader -> answered(store, awaitRead(reader), LockReply.Queued.class));
            answered(store, queue("job", nextWriter), LockReply.Queued.class);
            answered(store, awaitRead(lastReader), LockReply.Queued.class);
            int before = heard.count();

            answered(store, TestCommands.release("job", writer), LockReply.Released.class);

            for (AcquisitionId reader : readers) {
                heard.await(Notification.of(NAME, reader), before);
            }
            assertThat(heard.count()).isEqualTo(before + readers.size());

            answered(store, awaitRead(readers.get(2)), LockReply.Granted.class); // past two that do not ask
            answered(store, queue("job", nextWriter), LockReply.Queued.class);
            for (AcquisitionId reader : readers) {
                answered(store, release(reader, Duration.ZERO), LockReply.Released.class);
            }
            heard.await(Notification.of(NAME, nextWriter), before);
            answered(store, queue("job", nextWriter), LockReply.Granted.class);
        } finally {
            listening.close();
        }
    }

    @Test
    void shares_ofOneBatch_areDecidedInTheirOrder() {
        AcquisitionId reader = id();
        AcquisitionId writer = id();

        List<LockReply> replies = store.execute(
                List.of(
                        read(reader),
                        acquire("job", writer),
                        release(reader, Duration.ZERO),
                        acquire("job", writer),
                        TestCommands.release("job", writer),
                        read(reader),
                        new LockCommand.Renew(NAME, reader, LEASE, READER)),
                CALL);

        assertThat(replies)
                .extracting(LockReply::getClass)
                .isEqualTo(List.of(
                        LockReply.Granted.class,
                        LockReply.Busy.class,
                        LockReply.Released.class,
                        LockReply.Granted.class,
                        LockReply.Released.class,
                        LockReply.Granted.class,
                        LockReply.Granted.class));
    }

    @Test
    void foreignValue_underLockKey_makesSharesUnavailableAndStays() {
        admin.set(KEYS + "lock:job", "a foreign value");
        answered(store, read(id()), LockReply.Unavailable.class);
        answered(store, awaitRead(id()), LockReply.Unavailable.class);
        assertThat(admin.get(KEYS + "lock:job")).isEqualTo("a foreign value");

        admin.del(KEYS + "lock:job");
        admin.hset(KEYS + "lock:job", "foreign", "value");
        answered(store, read(id()), LockReply.Unavailable.class);
        assertThat(admin.hget(KEYS + "lock:job", "foreign")).isEqualTo("value");
        assertThat(admin.exists(KEYS + "ends:job", KEYS + "shares:job")).isZero();
    }

    @Test
    void foreignQueue_ofAShare_doesNotKeepItFromBeingReleased() {
        AcquisitionId reader = id();
        answered(store, read(reader), LockReply.Granted.class);
        admin.set(KEYS + "queue:job", "a foreign value");

        answered(store, new LockCommand.Renew(NAME, reader, LEASE, READER), LockReply.Granted.class);
        assertThat(ask(store, release(reader, Duration.ZERO))).isEqualTo(new LockReply.Released(true));
    }

    @Test
    void release_whenMemoryIsFull_isCarriedOut() {
        AcquisitionId one = id();
        AcquisitionId other = id();
        answered(store, read(one), LockReply.Granted.class);
        answered(store, read(other), LockReply.Granted.class);
        admin.configSet("maxmemory", "1");
        try {
            assertThat(ask(store, release(one, Duration.ofMinutes(1)))).isEqualTo(new LockReply.Released(true));
            assertThat(ask(store, release(other, Duration.ZERO))).isEqualTo(new LockReply.Released(true));
        } finally {
            admin.configSet("maxmemory", "0");
        }

        answered(store, acquire("job", id()), LockReply.Busy.class);
        assertThat(admin.pttl(KEYS + "lock:job")).as("the minimum hold").isPositive();
    }

    @Test
    void commands_atAReplica_areNotAnswered() {
        AcquisitionId reader = id();
        answered(store, read(reader), LockReply.Granted.class);
        Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
        AcquisitionId unknown = id();

        for (LockCommand command : List.of(
                read(reader),
                read(unknown),
                awaitRead(unknown),
                new LockCommand.Renew(NAME, reader, LEASE, READER),
                new LockCommand.Renew(NAME, unknown, LEASE, READER),
                release(reader, Duration.ZERO),
                release(unknown, Duration.ZERO))) {
            answered(store, command, LockReply.Unavailable.class);
        }
    }
}
