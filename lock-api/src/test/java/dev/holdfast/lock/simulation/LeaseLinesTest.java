package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the log says of leases and of the store, when, and how often. */
class LeaseLinesTest extends ScriptedCaller {

    private static final int MANY = 2_000;

    @Test
    void lines_whileAllIsWell_areNone() {
        LeaseHolder lease = granted();
        for (int renewal = 0; renewal < 100; renewal++) {
            scripted.expect(LockCommand.Renew.class);
            scripted.reply(GRANTED);
        }
        lease.release(Lane.CALLER, Duration.ZERO, releaseResults::add);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(true));
        scripted.engine().close(() -> {});

        assertThat(scripted.log()).isEmpty();
    }

    @Test
    void lease_inAnOutageThatEnds_hasALineWhenUnconfirmedAndOneWhenConfirmedAgain() {
        LeaseHolder lease = granted();
        scripted.expect(LockCommand.Renew.class);
        scripted.replyUnavailable();
        assertThat(scripted.log())
                .containsExactly("WARN the lease of 'job' with token " + lease.fencingToken()
                        + ", held by 1@scripted, is unconfirmed: the scripted store did not answer its renewal"
                        + " (java.lang.IllegalStateException: no answer). It is lost in 19s unless the store answers by"
                        + " then: see the server, and the network to it");

        for (int renewal = 0; renewal < 3; renewal++) {
            scripted.expect(LockCommand.Renew.class);
            scripted.replyUnavailable();
        }
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(GRANTED);

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(scripted.log()).hasSize(4);
        assertThat(scripted.log().get(1))
                .startsWith("WARN the scripted store has not answered for 2")
                .contains("java.lang.IllegalStateException: no answer");
        assertThat(scripted.log().get(2))
                .matches("INFO the scripted store answers again, after an outage of \\d+(s|ms) for this process");
        assertThat(scripted.log().get(3))
                .isEqualTo("INFO the lease of 'job' with token " + lease.fencingToken()
                        + " is confirmed again by the scripted store");
    }

    @Test
    void loss_afterUnansweredRenewals_saysWhyAndWhatToDo() {
        LeaseHolder lease = granted();
        do {
            scripted.expect(LockCommand.Renew.class);
            scripted.replyUnavailable();
            scripted.pass(Duration.ofSeconds(4));
        } while (lease.state() != LeaseState.LOST);

        assertThat(losses())
                .containsExactly("WARN the lease of 'job' with token " + lease.fencingToken()
                        + " is lost, which 1@scripted held for 29s in the scripted store: no renewal was confirmed in time,"
                        + " the store did not answer the latest one (java.lang.IllegalStateException: no answer). Its work"
                        + " must stop: another process may hold the lock by now");
    }

    @Test
    void loss_whileARenewalHangs_saysSo() {
        granted();
        scripted.expect(LockCommand.Renew.class);
        scripted.pass(LEASE);

        assertThat(losses()).singleElement().asString().contains("the latest one has no answer yet");
    }

    @Test
    void loss_afterAStandstill_saysSo() {
        granted();
        scripted.standStill(LEASE.plusSeconds(1));
        scripted.pass(Duration.ZERO);

        assertThat(losses()).singleElement().asString().contains("as this process or its machine stood still");
    }

    @Test
    void loss_whenTheStoreNoLongerHasTheLease_saysThatItMayBeReleasedByForce() {
        granted();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Gone());

        assertThat(scripted.log()).singleElement().asString().contains("is lost", "it was released by force");
    }

    @Test
    void loss_whenTheStoreGrantedAnew_showsNoTokenOfTheStore() {
        LeaseHolder lease = granted();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Granted(4_711, LEASE));

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(scripted.log())
                .singleElement()
                .asString()
                .contains("with token " + lease.fencingToken(), "the store has granted it again")
                .doesNotContain("4711");
        assertThat(lease.loss()).hasMessageNotContaining("4711");
    }

    @Test
    void loss_thatOnlyTheReleaseFinds_isLogged() {
        LeaseHolder lease = granted();
        lease.release(Lane.CALLER, Duration.ZERO, releaseResults::add);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(false));

        assertThat(losses()).singleElement().asString().contains("no longer had it at its release");
    }

    @Test
    void fixedLease_thatEndsBeforeItsRelease_isLoggedAsLost() {
        acquire(new LeaseOptions(LEASE, false, Duration.ZERO, CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);
        scripted.pass(LEASE);

        assertThat(scripted.log()).singleElement().asString().contains("is lost", "its fixed length of 30s is over");
    }

    @Test
    void manyLeases_inOneOutage_haveThreeLinesAndASummaryForEachState() {
        List<AcquireResult> results = new ArrayList<>();
        for (int number = 0; number < MANY; number++) {
            scripted.engine()
                    .acquire(new LockName("n" + number), RENEWED, WaitPolicy.unlimited(), Lane.CALLER, results::add);
            scripted.expect(LockCommand.Acquire.class);
            scripted.reply(GRANTED);
            if (number % 200 == 0) {
                scripted.pass(Duration.ofMillis(900)); // the first renewal is due after ten seconds
            }
        }
        answerRenewals(Duration.ofSeconds(20), false);
        assertThat(scripted.log()).isEmpty();
        answerRenewals(Duration.ofSeconds(31), true);
        answerRenewals(Duration.ofSeconds(20), true);

        assertThat(results)
                .hasSize(MANY)
                .allMatch(each -> ((AcquireResult.Held) each).holder().state() == LeaseState.LOST);
        assertThat(lines("is unconfirmed: ")).hasSize(3);
        assertThat(lines("more leases are unconfirmed"))
                .singleElement()
                .asString()
                .startsWith("WARN 1997 more leases are unconfirmed, of 'n")
                .contains(" and others: the scripted store did not answer their renewals");
        assertThat(lines("is lost, which")).hasSize(3);
        assertThat(lines("more leases are lost"))
                .singleElement()
                .asString()
                .startsWith("WARN 1997 more leases are lost, of 'n");
        assertThat(lines("the scripted store has not answered")).hasSize(1);
        assertThat(scripted.log()).hasSize(9);
    }

    @Test
    void lines_whileTheStoreComesAndGoesForADay_areFew() {
        for (int number = 0; number < 10; number++) {
            scripted.engine()
                    .acquire(new LockName("n" + number), RENEWED, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
            scripted.expect(LockCommand.Acquire.class);
            scripted.reply(GRANTED);
        }
        for (int minute = 0; minute < 24 * 60; minute++) {
            answerRenewals(Duration.ofSeconds(15), minute % 2 == 0);
        }

        assertThat(lines("unconfirmed")).hasSizeLessThan(100);
        assertThat(lines("confirmed again")).hasSizeLessThan(100);
        assertThat(losses()).isEmpty();
    }

    @Test
    void command_thatFailsAmongOthersThatAreAnswered_isNoOutageOfTheStore() {
        granted();
        for (int renewal = 0; renewal < 5; renewal++) {
            scripted.expect(LockCommand.Renew.class);
            scripted.pass(Duration.ofMillis(100));
            scripted.engine().acquire(OTHER, RENEWED, WaitPolicy.once(CALL), Lane.CALLER, outcomes::add);
            scripted.replyToLatest(BUSY);
            scripted.pass(Duration.ofSeconds(2));
            scripted.replyUnavailable();
        }

        assertThat(lines("the scripted store has not answered")).isEmpty();
        assertThat(lines("answers again")).isEmpty();
    }

    @Test
    void close_whileLeasesAreHeld_namesThem() {
        LeaseHolder lease = granted();
        scripted.engine().close(() -> {});

        assertThat(scripted.log())
                .containsExactly("WARN these locks are closed while 1 leases are held, 'job' with token "
                        + lease.fencingToken()
                        + ": they are released in the scripted store now. Work under them is no"
                        + " longer protected: end it, and release its leases, before closing the locks");
    }

    /** Lets this time pass, and replies to whatever is sent meanwhile. */
    private void answerRenewals(Duration time, boolean isAway) {
        for (long second = 0; second < time.toSeconds(); second++) {
            scripted.pass(Duration.ofSeconds(1));
            while (!scripted.isQuiet()) {
                if (isAway) {
                    scripted.replyUnavailable();
                } else if (scripted.expect(LockCommand.class) instanceof LockCommand.Renew) {
                    scripted.reply(GRANTED);
                } else {
                    scripted.reply(new LockReply.Released(true));
                }
            }
        }
    }

    private List<String> losses() {
        return lines("lost, which");
    }

    private List<String> lines(String with) {
        return scripted.log().stream().filter(line -> line.contains(with)).toList();
    }
}
