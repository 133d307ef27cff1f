package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The members of an authority state, and which of them suspect the primary. */
@Tag("first-build")
class MembersTest {

    private final Postgres database = Postgres.withTables();

    @Test
    void member_isCountedForHalfAnAuthorityLeaseOrUntilItLeaves() throws SQLException {
        try (Authority authority = Authority.on(database);
                Authority other = new Authority(Opened.authority("other", database.settings()))) {
            authority.store().initialize(Duration.ofHours(1), 0, CALL);
            other.found();
            other.read(id(), 1);
            AcquisitionId one = id();
            AcquisitionId two = id();
            assertThat(authority.read(one, 0)).isEqualTo(new AuthorityReading(authority.state(), 1, 0));
            assertThat(authority.read(two, 1)).isEqualTo(new AuthorityReading(authority.state(), 2, 1));
            assertThat(authority.read(one, 1)).isEqualTo(new AuthorityReading(authority.state(), 2, 2));
            assertThat(authority.read(one, 0)).isEqualTo(new AuthorityReading(authority.state(), 2, 1));
            for (int time = 0; time < 2; time++) {
                assertThat(authority.store().peek(CALL))
                        .as("looking leaves no trace")
                        .hasValue(new AuthorityReading(authority.state(), 2, 1));
            }

            database.execute(
                    "UPDATE holdfast_member SET seen_at = seen_at - interval '20 minutes' WHERE suspected_epoch = 1");
            assertThat(authority.read(one, 0)).isEqualTo(new AuthorityReading(authority.state(), 2, 1));
            database.execute(
                    "UPDATE holdfast_member SET seen_at = seen_at - interval '10 minutes' WHERE suspected_epoch = 1");
            assertThat(authority.read(one, 0)).isEqualTo(new AuthorityReading(authority.state(), 1, 0));
            assertThat(authority.read(two, 0)).isEqualTo(new AuthorityReading(authority.state(), 2, 0));
            authority.store().leave(two, CALL);
            authority.store().leave(two, CALL);
            assertThat(authority.read(one, 0)).isEqualTo(new AuthorityReading(authority.state(), 1, 0));
        }
    }

    @Test
    void suspicion_countsForItsEpochOnly() {
        try (Authority authority = Authority.founded(database)) {
            long epoch = authority.activatePrimary().epoch();
            AcquisitionId member = id();
            assertThat(authority.read(member, epoch).suspecting()).isEqualTo(1);
            assertThat(authority.read(member, epoch - 1).suspecting()).isZero();
            authority.read(member, epoch);
            authority.pass(new Transition.DrainPrimary(epoch, "a test"));
            assertThat(authority.store().peek(CALL).orElseThrow().suspecting()).isZero();
        }
    }

    @Test
    void member_whenSilentForLong_isRemovedByANewMember() throws SQLException {
        try (Authority authority = Authority.founded(database)) {
            AcquisitionId stays = id();
            authority.read(stays, 0);
            for (int gone = 0; gone < 5; gone++) {
                authority.read(id(), 0);
            }
            database.execute("UPDATE holdfast_member SET seen_at = seen_at - interval '2 hours'");
            authority.read(stays, 0);
            assertThat(members()).isEqualTo("6");
            authority.read(id(), 0);
            assertThat(members()).isEqualTo("2");
        }
    }

    private String members() throws SQLException {
        return database.value("SELECT count(*) FROM holdfast_member");
    }

    @Test
    void readState_whenRemovedByHand_isAConfigurationError() throws SQLException {
        try (Authority authority = Authority.founded(database)) {
            database.execute("DELETE FROM holdfast_authority_state");
            assertThatThrownBy(() -> authority.read(id(), 0))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("app");
            Authority.assertStale(authority.ask(1, acquire("a", id())), "has no authority state");
        }
    }
}
