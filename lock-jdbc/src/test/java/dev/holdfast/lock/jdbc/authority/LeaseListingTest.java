package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases that are listed in FAILING_BACK. */
@Tag("first-build")
class LeaseListingTest {

    private final Postgres database = Postgres.withTables();
    private final Authority authority = Authority.founded(database);

    @AfterEach
    void close() {
        authority.close();
    }

    @Test
    void listLeases_isPagedInTheOrderOfTheNames() {
        List<String> names =
                List.of("B", "a", "b", "\uffff", "\ud83d\udd12"); // the last two are the other way round in UTF-16
        List<TransferredLease> expected = new ArrayList<>();
        for (String name : names) {
            AcquisitionId id = id();
            long token = authority.granted(1, acquire(name, id)).token();
            expected.add(new TransferredLease(
                    new LockName(name), id, token, Duration.ZERO, LEASE, false, "a test", Share.EXCLUSIVE));
        }
        AcquisitionId kept = id();
        authority.granted(1, acquire("c", kept));
        authority.ask(1, release("c", kept, Duration.ofHours(1), Duration.ZERO));
        AcquisitionId released = id();
        authority.granted(1, acquire("d", released));
        authority.ask(1, release("d", released));
        heldIsRefused(1, "FALLBACK of epoch 1");

        authority.pass(new Transition.BeginFailback(1, Authority.REPLICATION_ID));
        heldIsRefused(1, "FAILING_BACK of epoch 2");
        List<TransferredLease> all = new ArrayList<>();
        Optional<LockName> after = Optional.empty();
        List<TransferredLease> page;
        do {
            page = authority.store().leases(2, after, 2, CALL);
            all.addAll(page);
            after = Optional.of(all.get(all.size() - 1).name());
        } while (page.size() == 2);
        assertThat(all)
                .extracting(each -> each.name().value())
                .containsExactly("B", "a", "b", "c", "\uffff", "\ud83d\udd12");
        assertThat(all.get(3).minimumHoldOnly()).isTrue();
        assertThat(all.get(3).remaining()).isGreaterThan(Duration.ofMinutes(59));
        all.remove(3);
        assertThat(all)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("age", "remaining")
                .isEqualTo(expected);
        assertThat(all).allSatisfy(each -> {
            assertThat(each.remaining()).isPositive().isLessThan(LEASE);
            assertThat(each.age().plus(each.remaining())).isBetween(LEASE.minusNanos(2_000), LEASE.plusNanos(2_000));
        });
        authority.pass(new Transition.ActivatePrimary(2));
        heldIsRefused(2, "PRIMARY of epoch 2");
    }

    @Test
    void listLeases_ofALockWithSeveral_hasAllOfThemInOnePage() throws SQLException {
        List<TransferredLease> expected = new ArrayList<>();
        for (String name : List.of("a", "b")) {
            for (Share share : List.of(new Share(2, 9), new Share(3, 8), new Share(1, 9))) {
                AcquisitionId id = id();
                LockName lock = new LockName(name);
                long token = authority
                        .granted(1, new LockCommand.Acquire(lock, id, LEASE, false, 0, "a test", share))
                        .token();
                expected.add(new TransferredLease(
                        lock, id, token, Duration.ZERO, LEASE, share.permits() == 3, "a test", share));
                if (share.permits() == 3) {
                    authority.ask(1, release(name, id, Duration.ofHours(1), Duration.ZERO));
                }
            }
        }
        AcquisitionId writer = id();
        long token = authority.granted(1, acquire("c", writer)).token();
        expected.add(new TransferredLease(
                new LockName("c"), writer, token, Duration.ZERO, LEASE, false, "a test", Share.EXCLUSIVE));
        database.execute("UPDATE holdfast_share SET expires_at = now() WHERE name = 'b' AND permits = 2");
        expected.removeIf(
                each -> each.name().value().equals("b") && each.share().permits() == 2);
        authority.pass(new Transition.BeginFailback(1, Authority.REPLICATION_ID));

        List<TransferredLease> first = authority.store().leases(2, Optional.empty(), 2, CALL);
        List<TransferredLease> second = authority.store().leases(2, Optional.of(new LockName("a")), 2, CALL);
        List<TransferredLease> last = authority.store().leases(2, Optional.of(new LockName("b")), 2, CALL);

        assertThat(List.of(first.size(), second.size(), last.size())).containsExactly(3, 2, 1);
        assertThat(Stream.of(first, second, last).flatMap(List::stream))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("age", "remaining")
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    private void heldIsRefused(long epoch, String evidence) {
        assertThatThrownBy(() -> authority.held(epoch))
                .isInstanceOf(StaleTermException.class)
                .hasMessageContaining(evidence);
    }
}
