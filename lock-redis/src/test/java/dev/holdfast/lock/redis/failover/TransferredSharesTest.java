package dev.holdfast.lock.redis.failover;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.LEASE;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.LockUnavailableException;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shares that a failback transfers from the fallback are the same shares under the new primary term. */
class TransferredSharesTest extends ServerFixture {

    private static final LockName NAME = new LockName("job");
    private static final Share READER = Share.shared();
    private static final Share ONE_OF_THREE = new Share(1, 3);
    private static final Duration REMAINING = Duration.ofMinutes(3);

    private PrimaryTermFixture term;

    @BeforeEach
    void claim() {
        term = PrimaryTermFixture.of(server.uri(), 2);
    }

    @AfterEach
    void close() {
        term.close();
    }

    private static TransferredLease held(AcquisitionId id, long token, Share share) {
        return held(NAME, id, token, share);
    }

    private static TransferredLease held(LockName name, AcquisitionId id, long token, Share share) {
        return new TransferredLease(
                name, id, token, Duration.ofMinutes(1), REMAINING, false, "the former holder", share);
    }

    private void copy(TransferredLease... leases) {
        term.store().copyLeases(term.term(), List.of(leases), CALL);
    }

    private static LockCommand acquiring(AcquisitionId id, Share share) {
        return new LockCommand.Acquire(NAME, id, LEASE, false, 0, "a test", share);
    }

    private static LockCommand renewing(AcquisitionId id) {
        return new LockCommand.Renew(NAME, id, LEASE, READER);
    }

    private static LockCommand releasing(AcquisitionId id) {
        return new LockCommand.Release(NAME, id, Duration.ZERO, Duration.ZERO, READER);
    }

    @Test
    void transferredShares_afterActivation_keepHoldersTokensAndTimes() {
        AcquisitionId first = id();
        AcquisitionId second = id();
        long start = System.nanoTime();
        copy(held(first, 41, READER), held(second, 42, READER));

        LockReply.Granted asked = term.answered(acquiring(second, READER), LockReply.Granted.class);
        Duration passed = Duration.ofNanos(System.nanoTime() - start);
        assertThat(asked.token()).isEqualTo(42);
        assertThat(asked.remaining()).isBetween(REMAINING.plusSeconds(1).minus(passed), REMAINING.plusSeconds(2));
        term.answered(acquire("job", id()), LockReply.Busy.class);
        assertThat(term.answered(acquiring(id(), READER), LockReply.Granted.class)
                        .token())
                .isEqualTo(PrimaryTermFixture.BASE + 1);
        for (AcquisitionId each : List.of(first, second)) {
            term.answered(renewing(each), LockReply.Granted.class);
            assertThat(term.ask(releasing(each))).isEqualTo(new LockReply.Released(true));
            term.answered(renewing(each), LockReply.Gone.class);
        }
    }

    @Test
    void transferredPermits_afterActivation_areCountedByTheLeastLimit() {
        AcquisitionId two = id();
        copy(held(two, 41, new Share(2, 4)), held(id(), 42, ONE_OF_THREE));

        term.answered(acquiring(id(), new Share(1, 4)), LockReply.Busy.class);
        assertThat(term.ask(releasing(two))).isEqualTo(new LockReply.Released(true));
        term.answered(acquiring(id(), new Share(2, 4)), LockReply.Granted.class);
        term.answered(acquiring(id(), new Share(1, 4)), LockReply.Busy.class);
    }

    @Test
    void transferredMinimumHold_ofAShare_keepsItsPermits() {
        AcquisitionId kept = id();
        copy(
                new TransferredLease(NAME, kept, 41, Duration.ZERO, REMAINING, true, "gone", new Share(2, 3)),
                held(id(), 42, ONE_OF_THREE));

        term.answered(renewing(kept), LockReply.Gone.class);
        term.answered(acquiring(kept, new Share(2, 3)), LockReply.Gone.class);
        assertThat(term.ask(releasing(kept))).isEqualTo(new LockReply.Released(false));
        term.answered(acquiring(id(), ONE_OF_THREE), LockReply.Busy.class);
    }

    @Test
    void transferredShares_whenListed_areShownAsTheyWere() {
        AcquisitionId first = id();
        AcquisitionId second = id();
        copy(held(second, 42, READER), held(first, 41, ONE_OF_THREE));

        try (Stream<LockInfo> shown = term.store().list(term.term(), "", CALL)) {
            List<Holder> holders = shown.findFirst().orElseThrow().holders();
            assertThat(holders)
                    .extracting(Holder::id, Holder::token, Holder::share, Holder::owner)
                    .containsExactly(
                            tuple(first, 41L, ONE_OF_THREE, "the former holder"),
                            tuple(second, 42L, READER, "the former holder"));
            assertThat(Duration.between(holders.get(0).since(), holders.get(0).until()))
                    .isBetween(
                            REMAINING.plusMinutes(1), REMAINING.plusMinutes(1).plusSeconds(2));
        }
    }

    @Test
    void transfer_ofSeveralLocks_writesEachLeaseForItsOwn() {
        LockName other = new LockName("other");
        LockName third = new LockName("third");
        copy(
                held(id(), 41, READER),
                held(other, id(), 42, ONE_OF_THREE),
                held(third, id(), 43, Share.EXCLUSIVE),
                held(id(), 44, READER),
                held(other, id(), 45, ONE_OF_THREE));

        try (Stream<LockInfo> shown = term.store().list(term.term(), "", CALL)) {
            assertThat(shown)
                    .extracting(
                            LockInfo::name,
                            lock -> lock.holders().stream().map(Holder::token).toList())
                    .containsExactlyInAnyOrder(
                            tuple(NAME, List.of(41L, 44L)),
                            tuple(other, List.of(42L, 45L)),
                            tuple(third, List.of(43L)));
        }
    }

    @Test
    void transferredShare_whenItIsOlderThanTheServersClock_isHeldSinceThatBegan() {
        AcquisitionId old = id();
        copy(new TransferredLease(
                NAME, old, 41, Duration.ofDays(40_000), REMAINING, false, "the former holder", READER));

        try (Stream<LockInfo> shown = term.store().list(term.term(), "", CALL)) {
            assertThat(shown.flatMap(each -> each.holders().stream()).map(Holder::since))
                    .containsExactly(Instant.EPOCH);
        }
        term.answered(renewing(old), LockReply.Granted.class);
        assertThat(term.ask(releasing(old))).isEqualTo(new LockReply.Released(true));
    }

    @Test
    void transfer_ofSeveralPagesOfOneLockTwice_countsEachShareOnce() {
        List<TransferredLease> leases =
                Stream.generate(() -> held(id(), 42, READER)).limit(401).toList();
        term.store().copyLeases(term.term(), leases, CALL);
        term.store().copyLeases(term.term(), leases, CALL);

        assertThat(admin.get("holdfast:{test:0}:2:lock:job")).startsWith("s 401 ");
        assertThat(term.store()
                        .execute(
                                term.term(),
                                leases.stream()
                                        .map(each -> releasing(each.id()))
                                        .toList(),
                                CALL))
                .hasSize(401)
                .allMatch(new LockReply.Released(true)::equals);
        term.answered(acquire("job", id()), LockReply.Granted.class);
    }

    @Test
    void transferredShare_whenTheOthersHaveEnded_isWrittenAsTheOnlyOne() {
        admin.hset("holdfast:{test:0}:2:shares:job", "an id", "h 40 3 3 0 of a lock that has ended since");
        admin.zadd("holdfast:{test:0}:2:ends:job", 1, "an id");
        copy(held(id(), 42, ONE_OF_THREE));

        assertThat(admin.get("holdfast:{test:0}:2:lock:job")).startsWith("s 1 3 1 ");
        assertThat(admin.zcard("holdfast:{test:0}:2:ends:job")).isOne();
        assertThat(admin.hlen("holdfast:{test:0}:2:shares:job")).isOne();
    }

    @Test
    void transfer_whereAnotherKindOfLeaseWas_isRefused() {
        TransferredLease writer = new TransferredLease(
                NAME, id(), 41, Duration.ZERO, REMAINING, false, "the former holder", Share.EXCLUSIVE);
        copy(writer);
        assertThatThrownBy(() -> copy(held(id(), 42, READER)))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("another kind");
        assertThat(admin.keys("holdfast:{test:0}:2:*")).containsExactly("holdfast:{test:0}:2:lock:job");
    }

    @Test
    void transfer_withoutActiveTermOrAfterLossOfData_isRefused() {
        TransferredLease lease = held(id(), 42, READER);
        PrimaryTermFixture later = term.at(3);
        assertThatThrownBy(() -> later.store().copyLeases(later.term(), List.of(lease), CALL))
                .isInstanceOf(StaleTermException.class)
                .hasMessageContaining("is of epoch 2");
        copy(lease);
        admin.flushAll();

        assertThatThrownBy(() -> copy(lease))
                .isInstanceOf(StaleTermException.class)
                .hasMessageContaining("record");
        assertThat(term.evidence(acquiring(id(), READER))).contains("record");
        assertThat(admin.keys("*")).isEmpty();
    }
}
