package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;

/** Which replies of three sentinels count, and for how long. */
class SentinelRepliesTest {

    private static final HostAndPort FIRST = new HostAndPort("first", 26_379);
    private static final HostAndPort SECOND = new HostAndPort("second", 26_379);
    private static final HostAndPort THIRD = new HostAndPort("third", 26_379);

    private static final SentinelReply A = new SentinelReply(new HostAndPort("a", 6_379), 5);
    private static final SentinelReply B = new SentinelReply(new HostAndPort("b", 6_379), 5);

    private static final long TTL = TimeUnit.SECONDS.toNanos(5);
    private static final long START = Long.MAX_VALUE - TTL / 2; // the clock may run over

    private final SentinelReplies replies = new SentinelReplies();

    @Test
    void reply_ofSilentSentinel_expiresAfterFiveSeconds() {
        replies.put(FIRST, A, START);

        replies.put(SECOND, B, START + TTL);
        assertThat(replies.latest()).containsExactlyInAnyOrder(A, B);

        replies.put(SECOND, B, START + TTL + 1);
        assertThat(replies.latest()).containsExactly(B);
    }

    @Test
    void reply_ofSentinelThatRepliesAgain_replacesFormerAndLastsAnew() {
        replies.put(FIRST, A, START);
        replies.put(FIRST, B, START + TTL);

        replies.put(SECOND, B, START + 2 * TTL);

        assertThat(replies.latest()).containsExactly(B, B);
    }

    @Test
    void reply_ofSentinelThatKnowsNoMasterAnyMore_isRemoved() {
        replies.put(FIRST, A, START);

        replies.remove(FIRST);

        assertThat(replies.isEmpty()).isTrue();
        assertThat(replies.latest()).isEmpty();
    }

    /** What a sentinel said before it fell silent, and what one that lags behind says, is no majority. */
    @Test
    void majority_ofSilentSentinelAndAnother_doesNotWin() {
        replies.put(FIRST, A, START);
        replies.put(SECOND, A, START);
        replies.put(THIRD, B, START);
        SentinelQuorum quorum = new SentinelQuorum(3, replies.latest());

        long later = START + TTL + 1;
        replies.put(FIRST, B, later);
        quorum.update(replies.latest(), later);

        assertThat(quorum.current()).isEqualTo(A);
    }
}
