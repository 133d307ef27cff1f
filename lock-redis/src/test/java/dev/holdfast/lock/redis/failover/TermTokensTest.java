package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.StaleTermException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/** The tokens of a primary term: counted from its base, limited in number, independent of clocks. */
class TermTokensTest {

    private static final long LAST = PrimaryTermFixture.BASE + AuthorityState.TOKENS_PER_EPOCH;

    private RedisServer server;
    private PrimaryTermFixture term;

    @BeforeEach
    void start() {
        server = RedisServer.own();
        term = PrimaryTermFixture.of(server.uri(), 3);
    }

    @AfterEach
    void stop() {
        term.close();
        server.close();
    }

    private static LockCommand above(String name, long above) {
        return new LockCommand.Acquire(
                new LockName(name), TestCommands.id(), TestCommands.LEASE, false, above, "a test");
    }

    private long token(String name, long above) {
        return term.answered(above(name, above), LockReply.Granted.class).token();
    }

    @Test
    void tokens_ofTerm_beginAboveBaseAndRiseByOne() {
        assertThat(token("a", 0)).isEqualTo(PrimaryTermFixture.BASE + 1);
        assertThat(token("b", 0)).isEqualTo(PrimaryTermFixture.BASE + 2);
        assertThat(token("c", PrimaryTermFixture.BASE + 10)).isEqualTo(PrimaryTermFixture.BASE + 11);
        assertThat(token("d", 7)).isEqualTo(PrimaryTermFixture.BASE + 12);
    }

    @Test
    void tokens_whenExhausted_endTheTerm() {
        assertThat(token("a", LAST - 1)).isEqualTo(LAST);

        assertThat(term.evidence(TestCommands.acquire("b", TestCommands.id()))).contains("no token is left");
    }

    @Test
    void tokens_whenExhaustedWithinOneCall_endTheTerm() {
        List<LockReply> replies = term.store()
                .execute(term.term(), List.of(above("a", LAST - 1), above("b", 0), above("c", 0)), TestCommands.CALL);

        assertThat(((LockReply.Granted) replies.get(0)).token()).isEqualTo(LAST);
        assertThat(replies.subList(1, 3))
                .allSatisfy(reply -> assertThat(((LockReply.Unavailable) reply).cause())
                        .isInstanceOf(StaleTermException.class)
                        .hasMessageContaining("no token is left"));
    }

    @Test
    void acquires_withTooGreatTokenFloor_areRefusedAloneWithinOneCall() {
        List<LockReply> replies = term.store()
                .execute(term.term(), List.of(above("a", LAST), above("b", 0), above("c", 0)), TestCommands.CALL);

        assertThat(((LockReply.Unavailable) replies.get(0)).cause()).hasMessageContaining("tokens end at " + LAST);
        assertThat(((LockReply.Granted) replies.get(1)).token()).isEqualTo(PrimaryTermFixture.BASE + 1);
        assertThat(((LockReply.Granted) replies.get(2)).token()).isEqualTo(PrimaryTermFixture.BASE + 2);
    }

    @Test
    void lease_whenTokensAreExhausted_staysGranted() {
        LockCommand.Acquire first = (LockCommand.Acquire) above("a", LAST - 1);
        term.answered(first, LockReply.Granted.class);

        term.answered(first, LockReply.Granted.class);
        term.answered(TestCommands.renew("a", first.id()), LockReply.Granted.class);
        term.answered(TestCommands.acquire("a", TestCommands.id()), LockReply.Busy.class);
        assertThat(term.ask(TestCommands.release("a", first.id()))).isEqualTo(new LockReply.Released(true));
    }

    @ParameterizedTest
    @ValueSource(longs = {LAST, LAST + 1, LockReply.Granted.MAX_TOKEN, Long.MAX_VALUE})
    void acquire_withTooGreatTokenFloor_isRefusedAndTermGoesOn(long above) {
        assertThat(term.answered(above("a", above), LockReply.Unavailable.class).cause())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("tokens end at " + LAST);

        assertThat(token("a", 0)).isEqualTo(PrimaryTermFixture.BASE + 1);
    }

    @Test
    void tokens_ofTerm_neverExceedTheMaximum() {
        try (RedisClient admin = server.client()) {
            long base = LockReply.Granted.MAX_TOKEN - 1;
            admin.set(PrimaryTermFixture.MARK, "3 " + base + " " + base);
        }

        assertThat(token("a", 0)).isEqualTo(LockReply.Granted.MAX_TOKEN);
        assertThat(term.answered(TestCommands.acquire("b", TestCommands.id()), LockReply.Unavailable.class)
                        .cause())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("no token is left");
    }
}
