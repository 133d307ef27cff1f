package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import dev.holdfast.lock.redis.trouble.Heard;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Waiting under a reign. */
class ReignQueueTest {

    /** A quarter of the time for which a free lock is kept for the first in its queue. */
    private static final Duration STANDSTILL = Duration.ofMillis(500);

    @Test
    void theFirstInTheQueueIsToldAndServedBeforeOthers() throws Exception {
        Pulse.steadily(STANDSTILL, ReignQueueTest::expectTheFirstToBeToldAndServedBeforeOthers);
    }

    private static void expectTheFirstToBeToldAndServedBeforeOthers(Pulse pulse) throws Exception {
        try (RedisServer server = RedisServer.own();
                Crown mine = Crown.of(server.uri(), 3);
                Crown others = Crown.claim(server.uri(), 3)) {
            AcquisitionId holder = Steps.id();
            AcquisitionId waiter = Steps.id();
            AcquisitionId late = Steps.id();
            pulse.feel(new ServerHeart(server));
            Heard heard = new Heard();
            AutoCloseable listening = others.store().signals(heard);
            try {
                heard.await(Signal.ANY, 0);
                mine.answered(Steps.acquire("job", holder), Answer.Granted.class);
                others.answered(Steps.queue("job", waiter), Answer.Waiting.class);
                mine.answered(Steps.queue("job", late), Answer.Waiting.class);
                LockInfo shown = mine.store()
                        .inspect(mine.reign(), "job", Steps.CALL)
                        .findFirst()
                        .orElseThrow();
                assertThat(shown.waiters()).hasSize(2);
                int before = heard.count();

                mine.answered(Steps.release("job", holder), Answer.Released.class);

                heard.await(Signal.to(new LockName("job"), waiter), before);
                mine.answered(Steps.queue("job", late), Answer.Waiting.class);
                others.answered(Steps.queue("job", waiter), Answer.Granted.class);
            } finally {
                listening.close();
            }
        }
    }

    @Test
    void theLockIsPassedOnInOneCallWhileTheReignIsInPower() {
        try (RedisServer server = RedisServer.own();
                Crown crown = Crown.of(server.uri(), 3)) {
            AcquisitionId holder = Steps.id();
            AcquisitionId next = Steps.id();
            long token = crown.answered(Steps.acquire("job", holder), Answer.Granted.class)
                    .token();
            crown.answered(Steps.queue("job", next), Answer.Waiting.class);
            List<Step> pass = List.of(Steps.release("job", holder), Steps.queue("job", next));

            List<Answer> answers = crown.store().apply(crown.reign(), pass, Steps.CALL);

            assertThat(answers.get(0)).isEqualTo(new Answer.Released(true));
            assertThat(((Answer.Granted) answers.get(1)).token()).isGreaterThan(token);
            crown.at(5).install();
            for (Answer answer : crown.store().apply(crown.reign(), pass, Steps.CALL)) {
                assertThat(((Answer.Unavailable) answer).why()).isInstanceOf(DeposedException.class);
            }
        }
    }

    @Test
    void aNewReignKnowsOfNobodyWhoWaitedUnderTheOneBefore() throws Exception {
        Pulse.steadily(STANDSTILL, ReignQueueTest::expectANewReignToKnowOfNobody);
    }

    private static void expectANewReignToKnowOfNobody(Pulse pulse) {
        try (RedisServer server = RedisServer.own();
                Crown crown = Crown.of(server.uri(), 3)) {
            AcquisitionId holder = Steps.id();
            pulse.feel(new ServerHeart(server));
            crown.answered(Steps.acquire("job", holder), Answer.Granted.class);
            crown.answered(Steps.queue("job", Steps.id()), Answer.Waiting.class);
            crown.answered(Steps.release("job", holder), Answer.Released.class);
            crown.answered(Steps.acquire("job", Steps.id()), Answer.Busy.class);

            Crown next = crown.at(5);
            next.install();

            assertThat(next.store().apply(next.reign(), List.of(Steps.acquire("job", Steps.id())), Steps.CALL))
                    .allSatisfy(answer -> assertThat(answer).isInstanceOf(Answer.Granted.class));
        }
    }
}
