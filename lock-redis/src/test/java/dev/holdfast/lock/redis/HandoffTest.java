package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.faults.ReceivedSignals;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A release and an acquire of the same lock have the same results in one call as in two. */
class HandoffTest extends StoreFixture {

    private static final int HISTORIES = 20 * Integer.getInteger("lock.test.scale", 1);
    private static final int STEPS = 12;
    private static final int IDS = 4;

    @Test
    void handoff_toFirstInQueue_takesOneCommandAndNoNotification() throws Exception {
        AcquisitionId holder = id();
        AcquisitionId first = id();
        AcquisitionId second = id();
        ReceivedSignals heard = new ReceivedSignals();
        AutoCloseable listening = store.subscribe(heard);
        try (CommandRecorder commands = new CommandRecorder(server)) {
            heard.await(Notification.ANY, 0);
            long token = answered(store, acquire("job", holder), LockReply.Granted.class)
                    .token();
            answered(store, queue("job", first), LockReply.Queued.class);
            answered(store, queue("job", second), LockReply.Queued.class);
            int before = heard.count();
            commands.forget();

            List<LockReply> replies = store.execute(List.of(release("job", holder), queue("job", first)), CALL);

            assertThat(replies.get(0)).isEqualTo(new LockReply.Released(true));
            assertThat(replies.get(1))
                    .isInstanceOfSatisfying(
                            LockReply.Granted.class,
                            granted -> assertThat(granted.token()).isGreaterThan(token));
            assertThat(commands.all()).extracting(CommandRecorder.Seen::name).containsExactly("EVALSHA");
            answered(store, release("job", first), LockReply.Released.class);
            heard.await(Notification.of(new LockName("job"), second), before);
            assertThat(heard.count()).isEqualTo(before + 1);
        } finally {
            listening.close();
        }
    }

    @Test
    void handoff_toIdBehindOthers_queuesItAndNotifiesTheFirst() throws Exception {
        AcquisitionId holder = id();
        AcquisitionId first = id();
        ReceivedSignals heard = new ReceivedSignals();
        AutoCloseable listening = store.subscribe(heard);
        try {
            heard.await(Notification.ANY, 0);
            answered(store, acquire("job", holder), LockReply.Granted.class);
            answered(store, queue("job", first), LockReply.Queued.class);
            int before = heard.count();

            List<LockReply> replies = store.execute(List.of(release("job", holder), queue("job", id())), CALL);

            assertThat(replies.get(0)).isEqualTo(new LockReply.Released(true));
            assertThat(replies.get(1)).isInstanceOf(LockReply.Queued.class);
            heard.await(Notification.of(new LockName("job"), first), before);
        } finally {
            listening.close();
        }
    }

    @Test
    void handoff_withMinimumHold_grantsFirstInQueueAfterwards() {
        AcquisitionId holder = id();
        AcquisitionId first = id();
        answered(store, acquire("job", holder), LockReply.Granted.class);
        answered(store, queue("job", first), LockReply.Queued.class);
        LockCommand release =
                new LockCommand.Release(new LockName("job"), holder, Duration.ofMinutes(1), Duration.ZERO);

        List<LockReply> replies = store.execute(List.of(release, queue("job", first)), CALL);

        assertThat(replies.get(0)).isEqualTo(new LockReply.Released(true));
        assertThat(replies.get(1)).isInstanceOf(LockReply.Queued.class);
        assertThat(admin.pexpire("holdfast:{test:0}:lock:job", 1)).isEqualTo(1);
        Await.until(
                "the minimum hold is over",
                () -> store.execute(List.of(queue("job", first)), CALL).get(0) instanceof LockReply.Granted);
    }

    @Test
    void releaseAndAcquire_withTombstone_leavesTombstone() {
        AcquisitionId holder = id();
        answered(store, acquire("job", holder), LockReply.Granted.class);
        LockCommand doubtful =
                new LockCommand.Release(new LockName("job"), holder, Duration.ZERO, Duration.ofMinutes(1));

        assertThat(store.execute(List.of(doubtful, acquire("job", holder)), CALL))
                .extracting(LockReply::getClass)
                .isEqualTo(List.of(LockReply.Released.class, LockReply.Gone.class));
    }

    @Test
    void handoff_inOneCallOrTwo_answersTheSame() {
        for (long seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed);
            List<AcquisitionId> ids = Stream.generate(() -> id()).limit(IDS).toList();
            for (int step = 0; step < STEPS; step++) {
                AcquisitionId one = ids.get(random.nextInt(IDS));
                AcquisitionId other = ids.get(random.nextInt(IDS));
                boolean queues = random.nextInt(3) > 0;
                Duration minimumHold = Duration.ofMinutes(random.nextInt(8) == 0 ? 3 : 0);

                List<LockReply> replies =
                        apply("together " + seed, pair("together " + seed, one, minimumHold, other, queues));
                List<LockReply> expected = new ArrayList<>();
                for (LockCommand each : pair("apart " + seed, one, minimumHold, other, queues)) {
                    expected.addAll(apply("apart " + seed, List.of(each)));
                }

                assertThat(kinds(replies)).as("seed %d, step %d", seed, step).isEqualTo(kinds(expected));
                assertThat(shown("together " + seed)).isEqualTo(shown("apart " + seed));
                if (random.nextInt(4) == 0) {
                    apply("together " + seed, List.of(acquire("together " + seed, one)));
                    apply("apart " + seed, List.of(acquire("apart " + seed, one)));
                }
            }
        }
    }

    private List<LockReply> apply(String name, List<LockCommand> commands) {
        List<LockReply> replies = store.execute(commands, CALL);
        Reservations.keep(admin, "holdfast:{test:0}:", name);
        return replies;
    }

    private static List<LockCommand> pair(
            String name, AcquisitionId one, Duration minimumHold, AcquisitionId other, boolean queues) {
        return List.of(
                new LockCommand.Release(new LockName(name), one, minimumHold, Duration.ZERO),
                queues ? queue(name, other) : acquire(name, other));
    }

    private static List<Object> kinds(List<LockReply> replies) {
        return replies.stream()
                .map(reply -> reply instanceof LockReply.Released ? reply : reply.getClass())
                .toList();
    }

    /** The holder, the minimum hold, and the waiters. */
    private List<Object> shown(String name) {
        return store.list(name, CALL)
                .filter(lock -> lock.name().value().equals(name))
                .map(lock -> List.<Object>of(
                        lock.holder().map(LockInfo.Holder::id),
                        lock.minimumHoldUntil().isPresent(),
                        lock.waiters()))
                .findFirst()
                .map(List::copyOf)
                .orElse(List.of());
    }
}
