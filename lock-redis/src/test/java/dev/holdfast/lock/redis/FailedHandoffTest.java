package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A release and an acquire of the same lock that travel in one call, of which something hinders one or both. */
class FailedHandoffTest extends StoreFixture {

    @Test
    void handoff_whenAcquireFails_releasesNevertheless() {
        AcquisitionId holder = id();
        answered(store, acquire("job", holder), LockReply.Granted.class);
        admin.set("holdfast:{test:0}:queue:job", "a foreign value");
        LockCommand release =
                new LockCommand.Release(new LockName("job"), holder, Duration.ofMinutes(1), Duration.ZERO);

        List<LockReply> replies = store.execute(List.of(release, queue("job", id())), CALL);

        assertThat(replies.get(0)).isEqualTo(new LockReply.Released(true));
        assertThat(replies.get(1))
                .isInstanceOfSatisfying(
                        LockReply.Unavailable.class,
                        unavailable -> assertThat(unavailable.cause()).hasMessageContaining(": WRONGTYPE "));
    }

    @Test
    void handoff_whenReleaseFails_acquiresNevertheless() {
        admin.set("holdfast:{test:0}:queue:job", "a foreign value");

        List<LockReply> replies = store.execute(List.of(release("job", id()), acquire("job", id())), CALL);

        assertThat(replies.get(0))
                .isInstanceOfSatisfying(
                        LockReply.Unavailable.class,
                        unavailable -> assertThat(unavailable.cause()).hasMessageContaining(": WRONGTYPE "));
        assertThat(replies.get(1)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void handoff_whenMemoryIsFull_succeeds() {
        AcquisitionId holder = id();
        answered(store, acquire("job", holder), LockReply.Granted.class);
        admin.configSet("maxmemory", "1");

        assertThat(store.execute(List.of(release("job", holder), acquire("job", id())), CALL))
                .extracting(LockReply::getClass)
                .isEqualTo(List.of(LockReply.Released.class, LockReply.Granted.class));
    }

    @Test
    void handoff_withForeignValue_leavesItAsItIs() {
        admin.hset("holdfast:{test:0}:lock:job", "foreign", "value");

        List<LockReply> replies = store.execute(List.of(release("job", id()), acquire("job", id())), CALL);

        assertThat(replies.get(0)).isEqualTo(new LockReply.Released(false));
        assertThat(replies.get(1))
                .isInstanceOfSatisfying(
                        LockReply.Unavailable.class,
                        unavailable -> assertThat(unavailable.cause())
                                .hasMessageContaining("the key of this lock holds a foreign value"));
        assertThat(admin.hgetAll("holdfast:{test:0}:lock:job")).containsEntry("foreign", "value");
    }

    @Test
    void handoff_atReplica_answersNeitherCommand() {
        AcquisitionId holder = id();
        answered(store, acquire("job", holder), LockReply.Granted.class);
        Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");

        assertThat(store.execute(List.of(release("job", holder), acquire("job", id())), CALL))
                .hasOnlyElementsOfType(LockReply.Unavailable.class);
        assertThat(store.execute(List.of(release("job", id()), acquire("job", id())), CALL))
                .hasOnlyElementsOfType(LockReply.Unavailable.class);
    }
}
