package dev.holdfast.lock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;

/** Which of the masters is believed that three sentinels name. */
class BeliefTest {

    private static final HostAndPort A = new HostAndPort("a", 6_379);
    private static final HostAndPort B = new HostAndPort("b", 6_379);
    private static final HostAndPort C = new HostAndPort("c", 6_379);

    private final Belief belief = new Belief(3, List.of(new Named(A, 5), new Named(A, 5), new Named(A, 5)));

    @Test
    void theFirstAnswersAreBelievedByTheirEpochAndNotByTheirOrder() {
        assertThat(new Belief(3, List.of(new Named(A, 4), new Named(A, 4), new Named(B, 5))).present())
                .isEqualTo(new Named(B, 5));
        assertThat(new Belief(3, List.of(new Named(A, 5), new Named(B, 5), new Named(B, 5))).present())
                .isEqualTo(new Named(B, 5));
    }

    @Test
    void oneThatKnowsOfALaterFailoverIsEnough() {
        belief.hear(new Named(A, 5));
        belief.hear(new Named(B, 6));
        belief.settle(List.of(new Named(A, 5), new Named(B, 6), new Named(A, 5)), 0);

        assertThat(belief.present()).isEqualTo(new Named(B, 6));
    }

    @Test
    void thoseThatHaveNotHeardOfTheFailoverAreNotBelievedHoweverManyTheyAre() {
        belief.settle(List.of(new Named(B, 6)), 0);

        belief.hear(new Named(A, 5));
        belief.settle(List.of(new Named(A, 5), new Named(A, 5)), seconds(1));

        assertThat(belief.present().address()).isEqualTo(B);
    }

    @Test
    void aSingleOneOfThemIsNeverBelievedHoweverLongItGoesOn() {
        belief.settle(List.of(new Named(B, 6)), 0);

        for (int second = 1; second < 1_000; second++) {
            belief.settle(List.of(new Named(A, 5)), seconds(second));
        }

        assertThat(belief.present().address()).isEqualTo(B);
    }

    @Test
    void sentinelsThatWereSetUpAnewAreBelievedInTime() {
        for (int second = 1; second <= 30; second++) {
            belief.settle(List.of(new Named(B, 0), new Named(B, 0)), seconds(second));
            assertThat(belief.present().address()).isEqualTo(A);
        }

        belief.settle(List.of(new Named(B, 0), new Named(B, 0)), seconds(31));

        assertThat(belief.present()).isEqualTo(new Named(B, 0));
    }

    @Test
    void whatWasLaterBeginsTheTimeAnew() {
        for (int second = 1; second < 100; second++) {
            belief.settle(List.of(new Named(B, 0), new Named(B, 0)), seconds(second));
            if (second % 29 == 0) {
                belief.settle(List.of(new Named(B, 0), new Named(B, 0), new Named(A, 5)), seconds(second));
            }
        }

        assertThat(belief.present().address()).isEqualTo(A);
    }

    @Test
    void ofOneEpochAnotherMasterIsBelievedOnlyIfMoreThanHalfOfAllSentinelsNameIt() {
        belief.settle(List.of(new Named(B, 5), new Named(A, 5)), 0);
        belief.settle(List.of(new Named(B, 5)), seconds(1));
        belief.settle(List.of(new Named(A, 5), new Named(B, 5), new Named(C, 5)), seconds(2));
        assertThat(belief.present().address()).isEqualTo(A);

        belief.settle(List.of(new Named(A, 5), new Named(C, 5), new Named(C, 5)), seconds(3));
        assertThat(belief.present().address()).isEqualTo(C);
    }

    @Test
    void aSentinelThatIsCutOffLeadsNobodyBackWhereNoneTellsTheEpoch() {
        Belief withoutEpochs = new Belief(3, List.of(new Named(A, 0), new Named(A, 0), new Named(A, 0)));
        withoutEpochs.settle(List.of(new Named(B, 0), new Named(B, 0), new Named(A, 0)), 0);

        for (int second = 1; second < 100; second++) {
            withoutEpochs.settle(List.of(new Named(A, 0)), seconds(second));
            assertThat(withoutEpochs.present().address()).isEqualTo(B);
        }
    }

    @Test
    void aRoundWithoutAnswersChangesNothing() {
        belief.settle(List.of(), 0);

        assertThat(belief.present()).isEqualTo(new Named(A, 5));
    }

    private static long seconds(long count) {
        return TimeUnit.SECONDS.toNanos(count);
    }
}
