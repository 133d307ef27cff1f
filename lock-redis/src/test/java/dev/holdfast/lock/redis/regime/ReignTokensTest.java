package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Regime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/** The tokens of a reign: from its base on, as many as it has, and by no clock. */
class ReignTokensTest {

    private static final long LAST = Crown.BASE + Regime.TOKENS;

    private RedisServer server;
    private Crown crown;

    @BeforeEach
    void start() {
        server = RedisServer.own();
        crown = Crown.of(server.uri(), 3);
    }

    @AfterEach
    void stop() {
        crown.close();
        server.close();
    }

    private static Step above(String name, long above) {
        return new Step.Acquire(new LockName(name), Steps.id(), Steps.LEASE, false, above, "a test");
    }

    private long token(String name, long above) {
        return crown.answered(above(name, above), Answer.Granted.class).token();
    }

    @Test
    void theyBeginAboveTheBaseAndRiseByOne() {
        assertThat(token("a", 0)).isEqualTo(Crown.BASE + 1);
        assertThat(token("b", 0)).isEqualTo(Crown.BASE + 2);
        assertThat(token("c", Crown.BASE + 10)).isEqualTo(Crown.BASE + 11);
        assertThat(token("d", 7)).isEqualTo(Crown.BASE + 12);
    }

    @Test
    void theLastOneIsGrantedAndThenTheReignIsOver() {
        assertThat(token("a", LAST - 1)).isEqualTo(LAST);

        assertThat(crown.evidence(Steps.acquire("b", Steps.id()))).contains("no token is left");
    }

    @Test
    void whatIsGrantedStaysSoWhenNoTokenIsLeft() {
        Step.Acquire first = (Step.Acquire) above("a", LAST - 1);
        crown.answered(first, Answer.Granted.class);

        crown.answered(first, Answer.Granted.class);
        crown.answered(Steps.renew("a", first.id()), Answer.Granted.class);
        crown.answered(Steps.acquire("a", Steps.id()), Answer.Busy.class);
        assertThat(crown.ask(Steps.release("a", first.id()))).isEqualTo(new Answer.Released(true));
    }

    @ParameterizedTest
    @ValueSource(longs = {LAST, LAST + 1, Answer.Granted.MAX_TOKEN, Long.MAX_VALUE})
    void whoAsksForTooGreatATokenGetsNoneAndDeposesNobody(long above) {
        assertThat(crown.answered(above("a", above), Answer.Unavailable.class).why())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("tokens end at " + LAST);

        assertThat(token("a", 0)).isEqualTo(Crown.BASE + 1);
    }

    @Test
    void noneIsGreaterThanAnyTokenMayBe() {
        try (RedisClient admin = server.client()) {
            long base = Answer.Granted.MAX_TOKEN - 1;
            admin.set(Crown.MARK, "3 " + base + " " + base);
        }

        assertThat(token("a", 0)).isEqualTo(Answer.Granted.MAX_TOKEN);
        assertThat(crown.answered(Steps.acquire("b", Steps.id()), Answer.Unavailable.class)
                        .why())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("no token is left");
    }
}
