package dev.holdfast.lock.cli.top;

import static dev.holdfast.lock.cli.top.LockState.at;
import static dev.holdfast.lock.cli.top.LockState.held;
import static dev.holdfast.lock.cli.top.LockState.holder;
import static dev.holdfast.lock.cli.top.LockState.lock;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What listings one after another show of renewals. */
class RenewalsTest {

    private final Renewals renewals = new Renewals();

    private static LockInfo until(long seconds) {
        return held("a", 1, "4711@web-3", -100, seconds);
    }

    private LockInfo.Holder observe(double seconds, LockInfo lock) {
        renewals.observe(at(seconds, lock));
        return lock.holders().get(0);
    }

    @Test
    void renewal_whenTheEndOfALeaseMoves_isSeen() {
        LockInfo.Holder first = observe(0, until(25));
        assertThat(renewals.sinceRenewal(first)).as("unknown at first sight").isEmpty();

        observe(2, until(25));
        LockInfo.Holder renewed = observe(4, until(33));
        assertThat(renewals.sinceRenewal(renewed)).contains(Duration.ZERO);
        assertThat(renewals.sinceRenewal(observe(7, until(33)))).contains(Duration.ofSeconds(3));
        assertThat(renewals.behind(renewed)).isEmpty();
    }

    /** A store that computes the end from the time left lists it a little differently each time. */
    @Test
    void renewal_whenTheEndOfALeaseOnlyJitters_isNotSeen() {
        observe(0, until(30));
        renewals.observe(at(1, lock("a", List.of(holder(1, "x", Share.EXCLUSIVE, -100, 31)))));

        assertThat(renewals.sinceRenewal(until(31).holders().get(0))).isEmpty();
    }

    @Test
    void renewal_whenLessThanHalfOfTheLeaseIsLeft_isBehind() {
        observe(0, until(20));
        observe(5, until(35));

        assertThat(renewals.behind(observe(19, until(35))))
                .as("16 of 30 s left")
                .isEmpty();
        LockInfo.Holder late = observe(22, until(35));
        assertThat(renewals.behind(late)).contains(Duration.ofSeconds(17));
        assertThat(renewals.sinceRenewal(late)).isEmpty();

        LockInfo.Holder caughtUp = observe(24, until(54));
        assertThat(renewals.behind(caughtUp)).isEmpty();
        assertThat(renewals.sinceRenewal(caughtUp)).contains(Duration.ZERO);
    }

    /** It was seen first with 20 of 30 s left, just before its renewal; without it, 9 s are left 11 s later. */
    @Test
    void renewal_whenBehindSinceTheFirstSnapshot_isSeenAtHalfOfTheTimeLeft() {
        observe(0, until(20));

        assertThat(renewals.behind(observe(9, until(20)))).isEmpty();
        assertThat(renewals.behind(observe(11, until(20)))).contains(Duration.ofSeconds(11));
    }

    @Test
    void grant_whenGone_isForgotten() {
        observe(0, until(20));
        renewals.observe(at(5));

        observe(6, until(35));
        assertThat(renewals.sinceRenewal(until(35).holders().get(0)))
                .as("another first sight")
                .isEmpty();
    }
}
