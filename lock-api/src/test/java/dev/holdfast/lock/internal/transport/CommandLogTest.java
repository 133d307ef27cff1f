package dev.holdfast.lock.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the log shows of a command. */
class CommandLogTest {

    private static final LockCommand RENEWAL =
            new LockCommand.Renew(new LockName("nightly"), new AcquisitionId(1, 2), Duration.ofSeconds(30));

    @Test
    void grant_inTheLog_hasTheFencingTokenOfItsLease() {
        assertThat(CommandLog.text(RENEWAL, new LockReply.Granted(17, Duration.ofSeconds(30))))
                .startsWith("renew nightly ")
                .endsWith(": granted, token 4352 for PT30S")
                .contains(new AcquisitionId(1, 2).toString());
        assertThat(LockReply.Granted.fencingToken(17, 0)).isEqualTo(4352);
    }

    @Test
    void share_inTheLog_isShownBesideTheLock() {
        LockCommand release =
                new LockCommand.Release(RENEWAL.name(), RENEWAL.id(), Duration.ZERO, Duration.ZERO, new Share(2, 4));

        assertThat(CommandLog.text(release, new LockReply.Released(true)))
                .startsWith("release nightly, a share of 2 of 4, ")
                .endsWith(": released");
    }

    @Test
    void missingReply_inTheLog_isShownAsNothing() {
        assertThat(CommandLog.text(RENEWAL, null)).endsWith(": nothing");
    }
}
