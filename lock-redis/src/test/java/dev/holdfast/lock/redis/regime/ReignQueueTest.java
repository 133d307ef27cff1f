package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.Turns;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Heard;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** Waiting under a reign. */
class ReignQueueTest {

    @Test
    void theFirstInTheQueueIsToldAndServedBeforeOthers() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                Crown mine = Crown.of(server.uri(), 3);
                Crown others = Crown.claim(server.uri(), 3)) {
            AcquisitionId holder = Steps.id();
            AcquisitionId waiter = Steps.id();
            AcquisitionId late = Steps.id();
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
                Turns.keep(admin, "holdfast:{test:0}:3:", "job");
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
    void aNewReignHasNoQueueOfTheOneBefore() {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                Crown crown = Crown.of(server.uri(), 3)) {
            AcquisitionId holder = Steps.id();
            crown.answered(Steps.acquire("job", holder), Answer.Granted.class);
            crown.answered(Steps.queue("job", Steps.id()), Answer.Waiting.class);
            crown.answered(Steps.release("job", holder), Answer.Released.class);
            Turns.keep(admin, "holdfast:{test:0}:3:", "job");
            crown.answered(Steps.acquire("job", Steps.id()), Answer.Busy.class);

            Crown next = crown.at(5);
            next.install();

            next.answered(Steps.acquire("job", Steps.id()), Answer.Granted.class);
        }
    }
}
