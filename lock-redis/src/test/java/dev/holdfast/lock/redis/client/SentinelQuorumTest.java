package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;

/** Decides between the masters that three sentinels name. */
class SentinelQuorumTest {

    private static final HostAndPort A = new HostAndPort("a", 6_379);
    private static final HostAndPort B = new HostAndPort("b", 6_379);
    private static final HostAndPort C = new HostAndPort("c", 6_379);

    private final SentinelQuorum quorum =
            new SentinelQuorum(3, List.of(new SentinelReply(A, 5), new SentinelReply(A, 5), new SentinelReply(A, 5)));

    @Test
    void firstReplies_ofSeveralEpochs_greatestEpochWins() {
        assertThat(new SentinelQuorum(
                                3, List.of(new SentinelReply(A, 4), new SentinelReply(A, 4), new SentinelReply(B, 5)))
                        .current())
                .isEqualTo(new SentinelReply(B, 5));
        assertThat(new SentinelQuorum(
                                3, List.of(new SentinelReply(A, 5), new SentinelReply(B, 5), new SentinelReply(B, 5)))
                        .current())
                .isEqualTo(new SentinelReply(B, 5));
    }

    @Test
    void update_oneSentinelWithGreaterEpoch_wins() {
        quorum.update(List.of(new SentinelReply(A, 5)), 0);
        quorum.update(List.of(new SentinelReply(B, 6)), 0);
        quorum.update(List.of(new SentinelReply(A, 5), new SentinelReply(B, 6), new SentinelReply(A, 5)), 0);

        assertThat(quorum.current()).isEqualTo(new SentinelReply(B, 6));
    }

    @Test
    void update_majorityWithOlderEpoch_doesNotWin() {
        quorum.update(List.of(new SentinelReply(B, 6)), 0);

        quorum.update(List.of(new SentinelReply(A, 5)), 0);
        quorum.update(List.of(new SentinelReply(A, 5), new SentinelReply(A, 5)), seconds(1));

        assertThat(quorum.current().master()).isEqualTo(B);
    }

    @Test
    void update_singleSentinelWithOlderEpoch_neverWins() {
        quorum.update(List.of(new SentinelReply(B, 6)), 0);

        for (int second = 1; second < 1_000; second++) {
            quorum.update(List.of(new SentinelReply(A, 5)), seconds(second));
        }

        assertThat(quorum.current().master()).isEqualTo(B);
    }

    @Test
    void update_majorityWithOlderEpochForThirtySeconds_wins() {
        for (int second = 1; second <= 30; second++) {
            quorum.update(List.of(new SentinelReply(B, 0), new SentinelReply(B, 0)), seconds(second));
            assertThat(quorum.current().master()).isEqualTo(A);
        }

        quorum.update(List.of(new SentinelReply(B, 0), new SentinelReply(B, 0)), seconds(31));

        assertThat(quorum.current()).isEqualTo(new SentinelReply(B, 0));
    }

    @Test
    void update_currentEpochInBetween_restartsTheThirtySeconds() {
        for (int second = 1; second < 100; second++) {
            quorum.update(List.of(new SentinelReply(B, 0), new SentinelReply(B, 0)), seconds(second));
            if (second % 29 == 0) {
                quorum.update(
                        List.of(new SentinelReply(B, 0), new SentinelReply(B, 0), new SentinelReply(A, 5)),
                        seconds(second));
            }
        }

        assertThat(quorum.current().master()).isEqualTo(A);
    }

    @Test
    void update_otherMasterOfSameEpoch_winsByMajorityOnly() {
        quorum.update(List.of(new SentinelReply(B, 5), new SentinelReply(A, 5)), 0);
        quorum.update(List.of(new SentinelReply(B, 5)), seconds(1));
        quorum.update(List.of(new SentinelReply(A, 5), new SentinelReply(B, 5), new SentinelReply(C, 5)), seconds(2));
        assertThat(quorum.current().master()).isEqualTo(A);

        quorum.update(List.of(new SentinelReply(A, 5), new SentinelReply(C, 5), new SentinelReply(C, 5)), seconds(3));
        assertThat(quorum.current().master()).isEqualTo(C);
    }

    @Test
    void update_withoutEpochs_minorityDoesNotWin() {
        SentinelQuorum withoutEpochs = new SentinelQuorum(
                3, List.of(new SentinelReply(A, 0), new SentinelReply(A, 0), new SentinelReply(A, 0)));
        withoutEpochs.update(List.of(new SentinelReply(B, 0), new SentinelReply(B, 0), new SentinelReply(A, 0)), 0);

        for (int second = 1; second < 100; second++) {
            withoutEpochs.update(List.of(new SentinelReply(A, 0)), seconds(second));
            assertThat(withoutEpochs.current().master()).isEqualTo(B);
        }
    }

    @Test
    void update_withoutReplies_changesNothing() {
        quorum.update(List.of(), 0);

        assertThat(quorum.current()).isEqualTo(new SentinelReply(A, 5));
    }

    private static long seconds(long count) {
        return TimeUnit.SECONDS.toNanos(count);
    }
}
