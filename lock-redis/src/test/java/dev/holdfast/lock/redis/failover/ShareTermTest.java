package dev.holdfast.lock.redis.failover;

import static dev.holdfast.lock.redis.faults.TestCommands.LEASE;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The scripts of shares under a primary term. */
class ShareTermTest extends ServerFixture {

    private static final LockName NAME = new LockName("job");

    private static LockCommand read(AcquisitionId id) {
        return new LockCommand.Acquire(NAME, id, LEASE, false, 0, "a test", Share.shared());
    }

    private static List<LockCommand> all(AcquisitionId id) {
        return List.of(
                read(id),
                new LockCommand.Renew(NAME, id, LEASE, Share.shared()),
                new LockCommand.Release(NAME, id, Duration.ZERO, Duration.ZERO, Share.shared()));
    }

    @Test
    void shares_underATerm_takeTheirTokensFromIt() {
        try (PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 3)) {
            AcquisitionId first = id();
            assertThat(term.answered(read(first), LockReply.Granted.class).token())
                    .isEqualTo(PrimaryTermFixture.BASE + 1);
            assertThat(term.answered(read(id()), LockReply.Granted.class).token())
                    .isEqualTo(PrimaryTermFixture.BASE + 2);
            term.answered(TestCommands.acquire("job", id()), LockReply.Busy.class);
            for (LockCommand command : all(first)) {
                assertThat(term.ask(command))
                        .as("the answer to " + command)
                        .isNotInstanceOf(LockReply.Unavailable.class);
            }
            assertThat(admin.keys("holdfast:{test:0}:3:*"))
                    .containsExactlyInAnyOrder(
                            "holdfast:{test:0}:3:lock:job",
                            "holdfast:{test:0}:3:ends:job",
                            "holdfast:{test:0}:3:shares:job");
        }
    }

    @Test
    void shares_underAnotherTerm_areRefused() {
        try (PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 3)) {
            AcquisitionId id = id();
            term.answered(read(id), LockReply.Granted.class);
            term.at(4).install();

            all(id).forEach(command -> assertThat(term.evidence(command)).contains("is of epoch 4"));

            admin.del(PrimaryTermFixture.MARK);
            all(id).forEach(command -> assertThat(term.evidence(command)).contains("is gone"));
        }
    }

    @Test
    void share_ofAStandaloneStoreBesideATerm_isNotGranted() {
        try (LockStore store = TestStores.store(server.uri());
                PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 3)) {
            assertThat(TestCommands.answered(store, read(id()), LockReply.Unavailable.class)
                            .cause())
                    .hasMessageContaining("a composite grants the locks of this namespace");
            term.answered(read(id()), LockReply.Granted.class);
        }
    }
}
