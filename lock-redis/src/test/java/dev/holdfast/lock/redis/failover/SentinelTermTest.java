package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.Sentinels;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A primary term ends with a failover of the sentinels, and the next one begins at the new master. */
@Execution(ExecutionMode.CONCURRENT)
class SentinelTermTest {

    @Test
    void command_afterSentinelFailover_isStale() {
        try (Sentinels sentinels = Sentinels.start();
                PrimaryTermFixture term = PrimaryTermFixture.of(sentinels.uri(), 3)) {
            AcquisitionId id = TestCommands.id();
            term.answered(TestCommands.acquire("job", id), LockReply.Granted.class);

            sentinels.failOver();

            Await.until("the new master is asked", () -> isDeposed(term, TestCommands.renew("job", id)));
            assertThat(term.evidence(TestCommands.acquire("job", TestCommands.id())))
                    .contains("replication id");
            assertThat(term.evidence(TestCommands.acquire("other", TestCommands.id())))
                    .contains("replication id");
            assertThat(term.evidence(TestCommands.release("job", id))).contains("replication id");

            try (PrimaryTermFixture next = PrimaryTermFixture.of(sentinels.uri(), 5)) {
                assertThat(next.term().replicationId()).isNotEqualTo(term.term().replicationId());
                next.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class);
                assertThat(term.evidence(TestCommands.renew("job", id))).contains("replication id");
            }
        }
    }

    /** Until then the server is unavailable; it never answers that the lock is lost or held by another. */
    private static boolean isDeposed(PrimaryTermFixture term, LockCommand command) {
        List<LockReply> replies;
        try {
            replies = term.store().execute(term.term(), List.of(command), TestCommands.CALL);
        } catch (LockUnavailableException e) {
            return false;
        }
        assertThat(replies).singleElement().isInstanceOf(LockReply.Unavailable.class);
        return ((LockReply.Unavailable) replies.get(0)).cause() instanceof StaleTermException;
    }
}
