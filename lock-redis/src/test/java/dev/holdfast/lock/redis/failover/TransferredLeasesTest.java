package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockInfo.Holder;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Leases that a failback transfers from the fallback are the same leases under the new primary term. */
class TransferredLeasesTest extends ServerFixture {

    private static final Duration REMAINING = Duration.ofMinutes(3);

    static TransferredLease carried(String name, AcquisitionId id, boolean kept) {
        return new TransferredLease(
                new LockName(name),
                id,
                42,
                Duration.ofMinutes(1),
                REMAINING,
                kept,
                "the former holder",
                Share.EXCLUSIVE);
    }

    @Test
    void transferredLease_afterActivation_keepsHolderTokenAndTime() {
        try (PrimaryTermFixture term = PrimaryTermFixture.claim(server.uri(), 2)) {
            AcquisitionId id = TestCommands.id();
            term.install();
            long start = System.nanoTime();
            term.store().copyLeases(term.term(), List.of(carried("job", id, false)), TestCommands.CALL);

            LockReply.Granted asked = term.answered(TestCommands.acquire("job", id), LockReply.Granted.class);
            Duration passed = Duration.ofNanos(System.nanoTime() - start);
            assertThat(asked.token()).isEqualTo(42);
            assertThat(asked.remaining()).isBetween(REMAINING.plusSeconds(1).minus(passed), REMAINING.plusSeconds(2));
            assertThat(term.answered(TestCommands.renew("job", id), LockReply.Granted.class)
                            .token())
                    .isEqualTo(42);
            term.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Busy.class);
            term.answered(TestCommands.renew("job", TestCommands.id()), LockReply.Gone.class);
            assertThat(term.ask(TestCommands.release("job", id))).isEqualTo(new LockReply.Released(true));
            term.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class);
        }
    }

    @Test
    void transferredMinimumHold_afterActivation_keepsLockBusy() {
        try (PrimaryTermFixture term = PrimaryTermFixture.claim(server.uri(), 2)) {
            AcquisitionId id = TestCommands.id();
            term.install();
            term.store().copyLeases(term.term(), List.of(carried("job", id, true)), TestCommands.CALL);

            term.answered(TestCommands.renew("job", id), LockReply.Gone.class);
            term.answered(TestCommands.acquire("job", id), LockReply.Gone.class);
            term.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Busy.class);
            assertThat(term.ask(TestCommands.release("job", id))).isEqualTo(new LockReply.Released(false));
            term.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Busy.class);
        }
    }

    @Test
    void transferredLeases_whenListed_areShownAsTheyWere() {
        try (PrimaryTermFixture term = PrimaryTermFixture.claim(server.uri(), 2)) {
            AcquisitionId id = TestCommands.id();
            Instant before = Instant.now();
            term.install();
            term.store()
                    .copyLeases(
                            term.term(),
                            List.of(carried("held", id, false), carried("kept", id, true)),
                            TestCommands.CALL);

            List<LockInfo> shown =
                    term.store().list(term.term(), "", TestCommands.CALL).toList();
            assertThat(shown).extracting(each -> each.name().value()).containsExactly("held", "kept");
            Holder holder = shown.get(0).holder().orElseThrow();
            assertThat(holder.id()).isEqualTo(id);
            assertThat(holder.owner()).isEqualTo("the former holder");
            assertThat(holder.since())
                    .isBetween(before.minusSeconds(61), Instant.now().minusSeconds(59));
            assertThat(shown.get(1).holder()).isEmpty();
        }
    }

    @Test
    void transfer_ofSeveralPagesTwice_changesNothingMore() {
        try (PrimaryTermFixture term = PrimaryTermFixture.claim(server.uri(), 2)) {
            List<TransferredLease> grants = IntStream.range(0, 1_001)
                    .mapToObj(each -> carried("job " + each, TestCommands.id(), false))
                    .toList();
            term.install();
            term.store().copyLeases(term.term(), grants, TestCommands.CALL);
            term.store().copyLeases(term.term(), grants, TestCommands.CALL);

            assertThat(term.store()
                            .execute(
                                    term.term(),
                                    grants.stream()
                                            .map(each -> TestCommands.renew(
                                                    each.name().value(), each.id()))
                                            .<LockCommand>map(each -> each)
                                            .toList(),
                                    TestCommands.CALL))
                    .hasSize(1_001)
                    .allSatisfy(reply -> assertThat(reply).isInstanceOf(LockReply.Granted.class));
        }
    }

    @Test
    void transferredLease_afterSecondTransfer_stays() {
        try (PrimaryTermFixture term = PrimaryTermFixture.claim(server.uri(), 2)) {
            AcquisitionId id = TestCommands.id();
            term.install();
            term.store().copyLeases(term.term(), List.of(carried("job", id, false)), TestCommands.CALL);
            term.store().copyLeases(term.term(), List.of(carried("job", TestCommands.id(), true)), TestCommands.CALL);

            term.answered(TestCommands.renew("job", id), LockReply.Granted.class);
        }
    }

    @Test
    void transferredLease_afterLossOfData_endsWithTheTerm() {
        try (PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 2)) {
            List<TransferredLease> grants = List.of(carried("job", TestCommands.id(), false));
            term.store().copyLeases(term.term(), grants, TestCommands.CALL);
            admin.flushAll();

            assertStale(() -> term.store().copyLeases(term.term(), grants, TestCommands.CALL))
                    .hasMessageContaining("record");
            assertThat(term.evidence(TestCommands.acquire("job", TestCommands.id())))
                    .contains("record");
            assertThat(admin.keys("*")).isEmpty();
        }
    }

    @Test
    void transfer_withoutActiveTerm_isRefused() {
        try (PrimaryTermFixture term = PrimaryTermFixture.claim(server.uri(), 2)) {
            List<TransferredLease> grants = List.of(carried("job", TestCommands.id(), false));
            assertStale(() -> term.store().copyLeases(term.term(), grants, TestCommands.CALL))
                    .hasMessageContaining("record");
        }
    }

    private static AbstractThrowableAssert<?, ?> assertStale(ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(StaleTermException.class);
    }
}
