package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Renewals that travel in one call are each judged by itself. */
class RenewalBatchTest extends StoreFixture {

    private static final int LOCKS = 250;

    @Test
    void renewals_ofHeldAndLostLocks_travelInFewCalls() {
        List<AcquisitionId> ids = acquired("lock ");
        List<LockCommand> renewals = new ArrayList<>();
        List<LockCommand> releases = new ArrayList<>();
        for (int at = 0; at < LOCKS; at++) {
            renewals.add(renew("lock " + at, ids.get(at)));
            if (isGone(at)) {
                releases.add(release("lock " + at, ids.get(at)));
            }
        }
        store.execute(releases, CALL);
        List<LockReply> replies;
        long calls;
        try (CommandRecorder commands = new CommandRecorder(server)) {
            replies = store.execute(renewals, CALL);
            calls = commands.count("EVALSHA");
        }
        for (int at = 0; at < LOCKS; at++) {
            assertThat(replies.get(at))
                    .as("of " + at)
                    .isInstanceOf(isGone(at) ? LockReply.Gone.class : LockReply.Granted.class);
        }
        assertThat(calls).isBetween(3L, 6L); // the server is busy with a hundred at a time at most
    }

    private List<AcquisitionId> acquired(String prefix) {
        List<AcquisitionId> ids = new ArrayList<>();
        List<LockCommand> commands = new ArrayList<>();
        for (int at = 0; at < LOCKS; at++) {
            ids.add(id());
            commands.add(acquire(prefix + at, ids.get(at)));
        }
        assertThat(store.execute(commands, CALL)).hasOnlyElementsOfType(LockReply.Granted.class);
        return ids;
    }

    private static boolean isGone(int at) {
        return at % 7 == 3;
    }

    @Test
    void renewals_ofManyLocks_answerEachItsOwn() {
        List<Long> tokens = new ArrayList<>();
        List<LockCommand> renewals = new ArrayList<>();
        for (int at = 0; at < LOCKS; at++) {
            AcquisitionId id = id();
            LockReply reply = store.execute(List.of(acquire("long ".repeat(20) + at, id)), CALL)
                    .get(0);
            tokens.add(((LockReply.Granted) reply).token());
            renewals.add(renew("long ".repeat(20) + at, id));
        }
        assertThat(store.execute(renewals, CALL))
                .extracting(reply -> ((LockReply.Granted) reply).token())
                .isEqualTo(tokens);
    }

    @Test
    void renewals_ofOneLock_keepIdsApartAndOrder() {
        AcquisitionId holder = id();
        AcquisitionId other = id();
        assertThat(store.execute(
                        List.of(
                                acquire("job", holder),
                                renew("job", other),
                                renew("job", holder),
                                renew("job", other),
                                release("job", holder),
                                renew("job", holder),
                                acquire("job", other),
                                renew("job", other)),
                        CALL))
                .extracting(LockReply::getClass)
                .isEqualTo(List.of(
                        LockReply.Granted.class,
                        LockReply.Gone.class,
                        LockReply.Granted.class,
                        LockReply.Gone.class,
                        LockReply.Released.class,
                        LockReply.Gone.class,
                        LockReply.Granted.class,
                        LockReply.Granted.class));
    }

    @Test
    void renewals_withForeignValue_failNoOtherLock() {
        AcquisitionId one = id();
        AcquisitionId two = id();
        store.execute(List.of(acquire("one", one), acquire("two", two)), CALL);
        admin.set("holdfast:{test:0}:queue:gone", "a foreign value");
        admin.hset("holdfast:{test:0}:lock:foreign", "foreign", "value");

        List<LockReply> replies = store.execute(
                List.of(renew("one", one), renew("gone", id()), renew("foreign", id()), renew("two", two)), CALL);

        assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(1)).isInstanceOf(LockReply.Gone.class);
        assertThat(replies.get(2)).isInstanceOf(LockReply.Gone.class);
        assertThat(replies.get(3)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void renewals_atReplica_answerNone() {
        List<AcquisitionId> ids = acquired("lock ");
        Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");

        assertThat(store.execute(List.of(renew("lock 0", ids.get(0)), renew("lock 1", id())), CALL))
                .hasOnlyElementsOfType(LockReply.Unavailable.class);
        assertThat(store.execute(List.of(renew("lock 1", id()), renew("lock 0", ids.get(0))), CALL))
                .hasOnlyElementsOfType(LockReply.Unavailable.class);
    }
}
