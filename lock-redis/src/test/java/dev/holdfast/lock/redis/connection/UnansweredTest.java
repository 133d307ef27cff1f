package dev.holdfast.lock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;

/** When it is over with waiting for a node. Times are in milliseconds. */
class UnansweredTest {

    private static final HostAndPort NODE = new HostAndPort("node", 7_000);
    private static final HostAndPort OTHER = new HostAndPort("other", 7_000);

    private final Unanswered unanswered = new Unanswered();

    @Test
    void oneLongWaitIsEnough() {
        assertThat(isSilent(NODE, 0, 499)).isFalse();
        assertThat(isSilent(OTHER, 0, 500)).isTrue();
    }

    @Test
    void manyShortWaitsAreTogetherLongEnough() {
        assertThat(isSilent(NODE, 0, 10)).isFalse();
        assertThat(isSilent(NODE, 300, 310)).isFalse();
        assertThat(isSilent(OTHER, 490, 500)).isFalse();
        assertThat(isSilent(NODE, 490, 500)).isTrue();
    }

    @Test
    void twoShortWaitsWithALongTimeBetweenThemSayNothing() {
        assertThat(isSilent(NODE, 0, 10)).isFalse();
        assertThat(isSilent(NODE, 600_000, 600_010)).isFalse();
        assertThat(isSilent(NODE, 600_490, 600_500)).isTrue();
    }

    @Test
    void aWaitThatBeganEarlierAndEndsLaterCounts() {
        assertThat(isSilent(NODE, 400, 410)).isFalse();
        assertThat(isSilent(NODE, 0, 450)).isFalse();
        assertThat(isSilent(NODE, 440, 500)).isTrue();
    }

    @Test
    void anAnswerEndsIt() {
        assertThat(isSilent(NODE, 0, 490)).isFalse();
        unanswered.isAnswered(NODE, TimeUnit.MILLISECONDS.toNanos(490));
        assertThat(isSilent(NODE, 495, 505)).isFalse();
    }

    @Test
    void aCallThatWaitsOnBesideOnesThatAreAnsweredSaysNothingOfTheTimeBefore() {
        unanswered.isAnswered(NODE, TimeUnit.MILLISECONDS.toNanos(400));

        assertThat(isSilent(NODE, 0, 600)).isFalse();
        assertThat(isSilent(NODE, 100, 899)).isFalse();
        assertThat(isSilent(NODE, 100, 900)).isTrue();
    }

    private boolean isSilent(HostAndPort node, long since, long now) {
        return unanswered.isSilent(node, TimeUnit.MILLISECONDS.toNanos(since), TimeUnit.MILLISECONDS.toNanos(now));
    }
}
