package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.Reservations;
import dev.holdfast.lock.redis.faults.ReceivedSignals;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.StaleTermException;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** Waiting under a primary term. */
class TermQueueTest {

    @Test
    void firstWaiter_underTerm_isNotifiedAndServedFirst() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                PrimaryTermFixture mine = PrimaryTermFixture.of(server.uri(), 3);
                PrimaryTermFixture others = PrimaryTermFixture.claim(server.uri(), 3)) {
            AcquisitionId holder = TestCommands.id();
            AcquisitionId waiter = TestCommands.id();
            AcquisitionId late = TestCommands.id();
            ReceivedSignals heard = new ReceivedSignals();
            AutoCloseable listening = others.store().subscribe(heard);
            try {
                heard.await(Notification.ANY, 0);
                mine.answered(TestCommands.acquire("job", holder), LockReply.Granted.class);
                others.answered(TestCommands.queue("job", waiter), LockReply.Queued.class);
                mine.answered(TestCommands.queue("job", late), LockReply.Queued.class);
                LockInfo shown = mine.store()
                        .list(mine.term(), "job", TestCommands.CALL)
                        .findFirst()
                        .orElseThrow();
                assertThat(shown.waiters()).hasSize(2);
                int before = heard.count();

                mine.answered(TestCommands.release("job", holder), LockReply.Released.class);

                heard.await(Notification.of(new LockName("job"), waiter), before);
                Reservations.keep(admin, "holdfast:{test:0}:3:", "job");
                mine.answered(TestCommands.queue("job", late), LockReply.Queued.class);
                others.answered(TestCommands.queue("job", waiter), LockReply.Granted.class);
            } finally {
                listening.close();
            }
        }
    }

    @Test
    void handoff_underActiveTerm_takesOneCall() {
        try (RedisServer server = RedisServer.own();
                PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 3)) {
            AcquisitionId holder = TestCommands.id();
            AcquisitionId next = TestCommands.id();
            long token = term.answered(TestCommands.acquire("job", holder), LockReply.Granted.class)
                    .token();
            term.answered(TestCommands.queue("job", next), LockReply.Queued.class);
            List<LockCommand> pass = List.of(TestCommands.release("job", holder), TestCommands.queue("job", next));

            List<LockReply> replies = term.store().execute(term.term(), pass, TestCommands.CALL);

            assertThat(replies.get(0)).isEqualTo(new LockReply.Released(true));
            assertThat(((LockReply.Granted) replies.get(1)).token()).isGreaterThan(token);
            term.at(5).install();
            for (LockReply reply : term.store().execute(term.term(), pass, TestCommands.CALL)) {
                assertThat(((LockReply.Unavailable) reply).cause()).isInstanceOf(StaleTermException.class);
            }
        }
    }

    @Test
    void queue_ofEarlierTerm_isGone() {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 3)) {
            AcquisitionId holder = TestCommands.id();
            term.answered(TestCommands.acquire("job", holder), LockReply.Granted.class);
            term.answered(TestCommands.queue("job", TestCommands.id()), LockReply.Queued.class);
            term.answered(TestCommands.release("job", holder), LockReply.Released.class);
            Reservations.keep(admin, "holdfast:{test:0}:3:", "job");
            term.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Busy.class);

            PrimaryTermFixture next = term.at(5);
            next.install();

            next.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class);
        }
    }
}
