package dev.holdfast.lock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.Logged;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Lines for operators: what they show, and what they do not. */
@Isolated("captures the log of all threads")
class LeaseLogTest {

    private final LeaseLog log = new LeaseLog(
            LeaseLog.LOGGER,
            "1@here",
            "the test store",
            (delay, task) -> () -> {}, // timers do nothing after the close
            Runnable::run);

    private void left(int number) {
        log.leftToExpire(new LockName("n" + number), new IllegalStateException("no reply"));
    }

    @Test
    void summary_gatheredBeforeClose_isLoggedAtClose() {
        assertThat(Logged.during(() -> left(1)))
                .contains("WARN dev.holdfast.lock.leases", "'n1' is left to expire", "no reply");
        assertThat(Logged.during(() -> IntStream.rangeClosed(2, 10).forEach(this::left)))
                .contains("'n2'", "'n3'")
                .doesNotContain("'n4'");

        assertThat(Logged.during(log::flush))
                .contains("7 more are left to expire, of 'n4', 'n5', 'n6', 'n7', 'n8' and others");
        assertThat(Logged.during(log::flush)).isEmpty();
    }

    @Test
    void summaries_ofEveryKind_countAndNameWhatIsLeftOut() {
        String lines = Logged.during(() -> {
            for (int number = 1; number <= 5; number++) {
                log.confirmed(new LockName("c" + number), number);
                log.groupLost(List.of("g" + number, "h" + number), "h" + number);
                log.leadershipLost("l" + number, number);
                log.candidateNotStopped("s" + number, Duration.ofSeconds(10));
                log.campaignUnanswered("e" + number, new IllegalStateException("no reply"));
            }
            log.flush();
        });

        assertThat(lines)
                .contains(
                        "INFO dev.holdfast.lock.leases - 2 more leases are confirmed again, of 'c4', 'c5', by the test store",
                        "WARN dev.holdfast.lock.leases - 2 more groups of leases are lost, of 'h4', 'h5': ",
                        "WARN dev.holdfast.lock.leases - 2 more leaderships are over, of 'l4', 'l5', as their leases are lost",
                        "WARN dev.holdfast.lock.leases - 2 more leader candidates have not stopped, of 's4', 's5', though",
                        "WARN dev.holdfast.lock.leases - 2 more campaigns go on, of 'e4', 'e5', though");
        assertThat(lines.lines()).hasSize(20);
    }

    @Test
    void subscription_thatCannotBeEnded_isLogged() {
        assertThat(Logged.during(() -> NotificationSubscription.end(() -> {
                    throw new IllegalStateException("on purpose");
                })))
                .contains("WARN", "ending the subscription to the store's notifications failed", "on purpose");
    }

    @Test
    void cause_withSecretAndLineBreaks_isOneLineWithoutTheSecret() {
        String line = Logged.during(() -> log.unconfirmed(
                new LockName("nightly"),
                256,
                Duration.ofSeconds(19),
                new IllegalStateException("refused\n  Detail: more, jdbc:x://app:geheim@db/app?password=geheim")));

        assertThat(line.lines()).hasSize(1);
        assertThat(line).contains("'nightly'", "refused Detail: more").doesNotContain("geheim");
    }

    @Test
    void name_withLineBreak_staysInItsLine() {
        String line = Logged.during(() -> log.confirmed(new LockName("a\nWARN all is lost"), 256));

        assertThat(line.lines()).singleElement().asString().contains("'a?WARN all is lost'");
    }
}
