package dev.holdfast.lock.composite.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the log shows of the calls that the protocol makes. */
class MemberLoopTest {

    private static final long TOKEN = 47_110_815;
    private static final Duration LEASE = Duration.ofSeconds(10);

    @Test
    void outcome_inTheLog_hasNoTokenOfAStore() {
        AuthorityState state =
                new AuthorityState(3, FailoverPhase.PRIMARY, "r1", LEASE, TOKEN, 0, "began", Instant.EPOCH);
        TransferredLease lease = new TransferredLease(
                new LockName("nightly"),
                new AcquisitionId(1, 2),
                TOKEN,
                LEASE,
                LEASE,
                false,
                "1@here",
                Share.EXCLUSIVE);

        assertThat(MemberLoop.text(new AuthorityReading(state, 2, 1)))
                .isEqualTo("PRIMARY of epoch 3, 2 members, 1 suspecting");
        assertThat(MemberLoop.text(new PrimaryHealth("r1", true, 3, 0, TOKEN, Optional.of("is a replica"))))
                .isEqualTo("epoch 3, is a replica");
        assertThat(MemberLoop.text(List.of(lease))).isEqualTo("1 results");
        assertThat(MemberLoop.text(List.of(new LockReply.Granted(TOKEN, LEASE))))
                .isEqualTo("1 results");
        assertThat(MemberLoop.text(true)).isEqualTo("true");
    }
}
