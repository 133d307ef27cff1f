package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.ask;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.params.SetParams;

/** A queue of mostly dead waiters: they cost the living ones few commands, and no time. */
class DeadWaitersTest extends QueueFixture {

    @Test
    void acquire_behindThousandDeadWaiters_takesFewCommands() {
        heldAndWaitedForBy(first);
        dead(1_000, "-");
        assertThat(commandsOf(queue(NAME, second))).as("behind them").isLessThan(100);
        assertThat(commandsOf(queue(NAME, first))).as("commands to queue again").isLessThan(100);

        dead(1_000, "-");
        assertThat(commandsOf(release(NAME, holder))).as("before them").isLessThan(100);
        assertThat(admin.zcard(QUEUE)).as("living waiters").isEqualTo(2);
        dead(1_000, "-");
        keepTheTurn(first, second);
        assertThat(commandsOf(acquire(NAME, third)))
                .as("commands without queueing")
                .isLessThan(100);

        dead(1_000, "");
        for (int again = 0; again < 20; again++) {
            keepTheTurn(first, second);
            assertThat(commandsOf(queue(NAME, second)))
                    .as("with the first before them")
                    .isLessThan(100);
        }
        assertThat(admin.zcard(QUEUE)).as("living waiters").isEqualTo(2);
        keepTheTurn(first, second);
        answered(store, queue(NAME, first), LockReply.Granted.class);
    }

    @Test
    void acquire_behindThousandDeadWaiters_asksAgainSoon() {
        heldAndWaitedForBy(first);
        dead(1_000, "1");

        assertThat(answered(store, queue(NAME, second), LockReply.Queued.class).retryAfter())
                .isEqualTo(QueueTimes.CLAIM_WINDOW);

        assertThat(admin.zcard(QUEUE))
                .as("waiters, most of which are dropped later")
                .isGreaterThan(200);
    }

    /** Makes these waiters alive, and the claim window of the first begin now, however much time has passed. */
    private void keepTheTurn(AcquisitionId... living) {
        long now = now();
        for (AcquisitionId each : living) {
            admin.zadd(SEEN, (double) now, each.toString());
        }
        admin.set(
                TURN,
                Long.toString(now + MINUTE.toMillis()),
                SetParams.setParams().px(MINUTE.toMillis()));
        List.of(QUEUE, SEEN, OWNERS).forEach(key -> admin.pexpire(key, MINUTE.toMillis()));
    }

    /** Adds dead waiters to the queue, all before or all after the first living one. */
    private void dead(int count, String sign) {
        admin.eval(
                """
                for i = 1, ARGV[2] do
                    redis.call('ZADD', KEYS[1], ARGV[1] .. '0.0' .. string.format('%04d', i), 'dead' .. i)
                    redis.call('ZADD', KEYS[2], ARGV[3], 'dead' .. i)
                    redis.call('HSET', KEYS[3], 'dead' .. i, 'channel owner')
                end""",
                List.of(QUEUE, SEEN, OWNERS), List.of(sign, Integer.toString(count), Long.toString(now() - 60_000)));
    }

    /** How many commands the server carries out for this one. */
    private long commandsOf(LockCommand command) {
        long before = commands();
        ask(store, command);
        return commands() - before;
    }

    private long commands() {
        return admin.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .mapToLong(line -> Long.parseLong(line.replaceFirst(".*:calls=(\\d+),.*", "$1")))
                .sum();
    }
}
