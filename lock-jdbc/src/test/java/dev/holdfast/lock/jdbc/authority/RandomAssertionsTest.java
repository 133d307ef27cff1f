package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.testing.Seeds;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases of all shares, asserted in any order: which ones stand follows from what stands already. */
@Tag("first-build")
class RandomAssertionsTest extends AssertedLeases {

    /** Longer than the test takes. */
    private static final Duration LONG = Duration.ofHours(1);

    private static final int STEPS = 120 * Integer.getInteger("lock.test.scale", 1);

    private static final List<Share> SHARES = List.of(
            Share.EXCLUSIVE,
            Share.shared(),
            Share.shared(),
            new Share(1, 2),
            new Share(1, 3),
            new Share(2, 3),
            new Share(1, 4));

    private final long seed = Seeds.any();
    private final Random random = new Random(seed);
    private final List<TransferredLease> asserted = new ArrayList<>();
    private final Set<Long> tokens = new LinkedHashSet<>();

    /** A lease or a minimum hold that lasts. */
    private record Standing(long token, Share share, boolean isHeld) {

        boolean conflictsWith(TransferredLease lease) {
            return !Share.areCompatible(List.of(share, lease.share()));
        }
    }

    private final Connection connection = database.connect();

    RandomAssertionsTest() throws SQLException {}

    @AfterEach
    void disconnect() throws SQLException {
        connection.close();
    }

    @Test
    void leases_assertedInAnyOrder_standByWhatStandsAlready() throws SQLException {
        long epoch = authority.drain().epoch();
        for (int step = 0; step < STEPS; step++) {
            int kind = random.nextInt(20);
            if (kind < 15 || asserted.isEmpty()) {
                assertPage(epoch);
            } else if (kind < 17) {
                authority.ask(
                        epoch, release("a", any().id(), random.nextBoolean() ? LONG : Duration.ZERO, Duration.ZERO));
            } else if (kind < 18) {
                authority.ask(epoch, renew("a", any().id(), LONG));
            } else {
                long token = any().token();
                for (String table : List.of("holdfast_share", "holdfast_lock")) {
                    database.execute("UPDATE " + table + " SET expires_at = least(expires_at, now()) WHERE token = "
                            + token + (table.equals("holdfast_lock") ? " AND state <> 'shared'" : ""));
                }
            }
            assertFit(standing());
            assertThat(database.value(
                            "SELECT count(*) FROM holdfast_lock l JOIN holdfast_share s USING (namespace, name)"
                                    + " WHERE l.state = 'shared' AND s.expires_at > l.expires_at"))
                    .as("shares that end after their lock, with seed " + seed)
                    .isEqualTo("0");
        }
    }

    private TransferredLease newLease() {
        long token;
        do {
            token = random.nextLong(1, 1_000_000);
        } while (!tokens.add(token));
        return new TransferredLease(
                new LockName("a"),
                id(),
                token,
                Duration.ofSeconds(1),
                LONG,
                random.nextInt(3) == 0,
                "a holder",
                SHARES.get(random.nextInt(SHARES.size())));
    }

    private TransferredLease any() {
        return asserted.get(Math.max(0, asserted.size() - 1 - random.nextInt(8)));
    }

    private TransferredLease again(TransferredLease lease) {
        return new TransferredLease(
                lease.name(),
                lease.id(),
                lease.token(),
                lease.age(),
                lease.remaining(),
                random.nextBoolean(),
                lease.owner(),
                lease.share());
    }

    /** Some leases in one call, of which each is judged by those before it. */
    private void assertPage(long epoch) throws SQLException {
        List<TransferredLease> page = new ArrayList<>();
        for (int more = random.nextInt(5); more >= 0; more--) {
            page.add(asserted.isEmpty() || random.nextInt(5) > 0 ? newLease() : again(any()));
        }
        List<Standing> standing = standing();
        List<LockReply> replies = authority.store().assertLeases(epoch, page, CALL);
        for (int at = 0; at < page.size(); at++) {
            TransferredLease lease = page.get(at);
            boolean isGranted = replies.get(at) instanceof LockReply.Granted;
            String what = "seed " + seed + ": the reply to " + lease + " beside " + standing;
            Optional<Standing> own = standing.stream()
                    .filter(each -> each.token() == lease.token())
                    .findFirst();
            if (own.isPresent()) {
                assertThat(isGranted).as(what).isEqualTo(own.get().isHeld() || lease.minimumHoldOnly());
            } else if (asserted.stream().noneMatch(each -> each.token() == lease.token())) {
                assertThat(isGranted).as(what).isEqualTo(stands(lease, standing));
            }
            if (isGranted) {
                standing.removeIf(each -> own.isEmpty() ? each.conflictsWith(lease) : each.equals(own.get()));
                standing.add(new Standing(lease.token(), lease.share(), !lease.minimumHoldOnly()));
            }
            asserted.add(lease);
        }
        assertThat(standing()).as("seed " + seed + ", after " + page).containsExactlyInAnyOrderElementsOf(standing);
    }

    private static boolean stands(TransferredLease lease, List<Standing> before) {
        boolean isExcluded = before.stream()
                .anyMatch(each -> each.conflictsWith(lease) && (each.isHeld() || each.token() > lease.token()));
        List<Share> held = new ArrayList<>(List.of(lease.share()));
        before.stream().filter(Standing::isHeld).map(Standing::share).forEach(held::add);
        return !isExcluded && (lease.minimumHoldOnly() || Share.areCompatible(held));
    }

    private void assertFit(List<Standing> all) {
        List<Standing> held = all.stream().filter(Standing::isHeld).toList();
        assertThat(Share.areCompatible(held.stream().map(Standing::share).toList()))
                .as("seed " + seed + ": " + held)
                .isTrue();
    }

    private List<Standing> standing() throws SQLException {
        List<Standing> all = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT l.token, 1, 1, l.state FROM holdfast_lock l"
                        + " WHERE l.state IN ('held', 'minimum_hold') AND l.expires_at > clock_timestamp()"
                        + " UNION ALL SELECT s.token, s.permits, s.permit_limit, s.state"
                        + " FROM holdfast_lock l JOIN holdfast_share s USING (namespace, name)"
                        + " WHERE l.state = 'shared' AND s.expires_at > clock_timestamp()")) {
            while (row.next()) {
                all.add(new Standing(
                        row.getLong(1),
                        new Share(row.getInt(2), row.getInt(3)),
                        row.getString(4).equals("held")));
            }
        }
        return all;
    }
}
