package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.trouble.Steps.CALL;
import static dev.holdfast.lock.redis.trouble.Steps.acquire;
import static dev.holdfast.lock.redis.trouble.Steps.answered;
import static dev.holdfast.lock.redis.trouble.Steps.id;
import static dev.holdfast.lock.redis.trouble.Steps.queue;
import static dev.holdfast.lock.redis.trouble.Steps.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.Commands;
import dev.holdfast.lock.redis.server.ServerHeart;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.redis.trouble.Heard;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A release and an acquire of the same lock that travel in one call do what they do in two. */
class PassTest extends OnServerOfItsOwn {

    private static final int HISTORIES = 100;
    private static final int STEPS = 12;
    private static final int IDS = 4;

    /** Well within the time for which a free lock is kept for the first in its queue. */
    private static final Duration SOON = Duration.ofMillis(1_500);

    @Test
    void theFirstInTheQueueHasTheLockAfterOneCommandAndIsNotToldOfItsTurn() throws Exception {
        AcquisitionId holder = id();
        AcquisitionId first = id();
        AcquisitionId second = id();
        Heard heard = new Heard();
        AutoCloseable listening = store.signals(heard);
        try (Commands commands = new Commands(server)) {
            heard.await(Signal.ANY, 0);
            long token = answered(store, acquire("job", holder), Answer.Granted.class)
                    .token();
            answered(store, queue("job", first), Answer.Waiting.class);
            answered(store, queue("job", second), Answer.Waiting.class);
            int before = heard.count();
            commands.forget();

            List<Answer> answers = store.apply(List.of(release("job", holder), queue("job", first)), CALL);

            assertThat(answers.get(0)).isEqualTo(new Answer.Released(true));
            assertThat(answers.get(1))
                    .isInstanceOfSatisfying(
                            Answer.Granted.class,
                            granted -> assertThat(granted.token()).isGreaterThan(token));
            assertThat(commands.all()).extracting(Commands.Seen::name).containsExactly("EVALSHA");
            answered(store, release("job", first), Answer.Released.class);
            heard.await(Signal.to(new LockName("job"), second), before);
            assertThat(heard.count()).isEqualTo(before + 1);
        } finally {
            listening.close();
        }
    }

    @Test
    void whoComesAfterOthersWaitsAndTheFirstIsTold() throws Exception {
        AcquisitionId holder = id();
        AcquisitionId first = id();
        Heard heard = new Heard();
        AutoCloseable listening = store.signals(heard);
        try {
            heard.await(Signal.ANY, 0);
            answered(store, acquire("job", holder), Answer.Granted.class);
            answered(store, queue("job", first), Answer.Waiting.class);
            int before = heard.count();

            List<Answer> answers = store.apply(List.of(release("job", holder), queue("job", id())), CALL);

            assertThat(answers.get(0)).isEqualTo(new Answer.Released(true));
            assertThat(answers.get(1)).isInstanceOf(Answer.Waiting.class);
            heard.await(Signal.to(new LockName("job"), first), before);
        } finally {
            listening.close();
        }
    }

    @Test
    void inOneCallOrInTwoTheAnswersAreTheSame() {
        int compared = 0;
        for (long seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed);
            long start = System.nanoTime();
            List<AcquisitionId> ids = Stream.generate(() -> id()).limit(IDS).toList();
            for (int step = 0; step < STEPS; step++) {
                AcquisitionId one = ids.get(random.nextInt(IDS));
                AcquisitionId other = ids.get(random.nextInt(IDS));
                boolean queues = random.nextInt(3) > 0;
                Duration keep = Duration.ofMinutes(random.nextInt(8) == 0 ? 3 : 0);
                List<Step> together = pair("together " + seed, one, keep, other, queues);
                List<Step> apart = pair("apart " + seed, one, keep, other, queues);
                List<Answer> answers = store.apply(together, CALL);
                List<Answer> expected = new ArrayList<>();
                for (Step each : apart) {
                    expected.addAll(store.apply(List.of(each), CALL));
                }
                List<Object> shownTogether = shown("together " + seed);
                List<Object> shownApart = shown("apart " + seed);
                if (System.nanoTime() - start > SOON.toNanos()) {
                    break; // so late that of two who had their chance at once one may have lost it
                }
                compared++;
                assertThat(kinds(answers)).as("seed %d, step %d", seed, step).isEqualTo(kinds(expected));
                assertThat(shownTogether).isEqualTo(shownApart);
                if (random.nextInt(4) == 0) {
                    store.apply(List.of(acquire("together " + seed, one), acquire("apart " + seed, one)), CALL);
                }
            }
        }
        assertThat(compared).isGreaterThan(HISTORIES);
    }

    private static List<Step> pair(String name, AcquisitionId one, Duration keep, AcquisitionId other, boolean queues) {
        return List.of(
                new Step.Release(new LockName(name), one, keep, Duration.ZERO),
                queues ? queue(name, other) : acquire(name, other));
    }

    private static List<Object> kinds(List<Answer> answers) {
        return answers.stream()
                .map(answer -> answer instanceof Answer.Released ? answer : answer.getClass())
                .toList();
    }

    /** Who holds it, whether it is kept, and who waits. */
    private List<Object> shown(String name) {
        return store.inspect(name, CALL)
                .filter(lock -> lock.name().value().equals(name))
                .map(lock -> List.<Object>of(
                        lock.holder().map(LockInfo.Holder::id), lock.keptUntil().isPresent(), lock.waiters()))
                .findFirst()
                .map(List::copyOf)
                .orElse(List.of());
    }

    @Test
    void whereTheLockCannotBeAskedForItIsGivenBackNevertheless() {
        AcquisitionId holder = id();
        answered(store, acquire("job", holder), Answer.Granted.class);
        admin.set("holdfast:{test:0}:queue:job", "somebody else's");
        Step release = new Step.Release(new LockName("job"), holder, Duration.ofMinutes(1), Duration.ZERO);

        List<Answer> answers = store.apply(List.of(release, queue("job", id())), CALL);

        assertThat(answers.get(0)).isEqualTo(new Answer.Released(true));
        assertThat(answers.get(1))
                .isInstanceOfSatisfying(
                        Answer.Unavailable.class,
                        unavailable -> assertThat(unavailable.why()).hasMessageContaining(": WRONGTYPE "));
    }

    @Test
    void whereTheLockCannotBeGivenBackItIsAskedForNevertheless() {
        admin.set("holdfast:{test:0}:queue:job", "somebody else's");

        List<Answer> answers = store.apply(List.of(release("job", id()), acquire("job", id())), CALL);

        assertThat(answers.get(0))
                .isInstanceOfSatisfying(
                        Answer.Unavailable.class,
                        unavailable -> assertThat(unavailable.why()).hasMessageContaining(": WRONGTYPE "));
        assertThat(answers.get(1)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void theFirstInTheQueueWaitsForTheMinimumHoldAndHasTheLockThen() throws Exception {
        Duration hold = Duration.ofSeconds(2);
        Pulse.steadily(hold.dividedBy(4), pulse -> {
            pulse.feel(new ServerHeart(server));
            AcquisitionId holder = id();
            AcquisitionId first = id();
            String name = "job of " + holder;
            answered(store, acquire(name, holder), Answer.Granted.class);
            answered(store, queue(name, first), Answer.Waiting.class);
            Step release = new Step.Release(new LockName(name), holder, hold, Duration.ZERO);

            List<Answer> answers = store.apply(List.of(release, queue(name, first)), CALL);

            assertThat(answers.get(0)).isEqualTo(new Answer.Released(true));
            assertThat(answers.get(1)).isInstanceOf(Answer.Waiting.class);
            Awaiting.until(
                    "the minimum hold is over",
                    () -> store.apply(List.of(queue(name, first)), CALL).get(0) instanceof Answer.Granted);
        });
    }

    @Test
    void theLockIsPassedOnThoughThereIsNoMemoryForMore() {
        AcquisitionId holder = id();
        answered(store, acquire("job", holder), Answer.Granted.class);
        admin.configSet("maxmemory", "1");

        assertThat(store.apply(List.of(release("job", holder), acquire("job", id())), CALL))
                .extracting(Answer::getClass)
                .isEqualTo(List.of(Answer.Released.class, Answer.Granted.class));
    }

    @Test
    void whatSomebodyElseWroteIsLeftAsItIs() {
        admin.hset("holdfast:{test:0}:lock:job", "somebody", "else's");

        List<Answer> answers = store.apply(List.of(release("job", id()), acquire("job", id())), CALL);

        assertThat(answers.get(0)).isEqualTo(new Answer.Released(false));
        assertThat(answers.get(1))
                .isInstanceOfSatisfying(
                        Answer.Unavailable.class,
                        unavailable -> assertThat(unavailable.why())
                                .hasMessageContaining("the key of this lock holds what is no lock"));
        assertThat(admin.hgetAll("holdfast:{test:0}:lock:job")).containsEntry("somebody", "else's");
    }

    @Test
    void aReplicaAnswersNeither() {
        AcquisitionId holder = id();
        answered(store, acquire("job", holder), Answer.Granted.class);
        Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");

        assertThat(store.apply(List.of(release("job", holder), acquire("job", id())), CALL))
                .hasOnlyElementsOfType(Answer.Unavailable.class);
        assertThat(store.apply(List.of(release("job", id()), acquire("job", id())), CALL))
                .hasOnlyElementsOfType(Answer.Unavailable.class);
    }

    @Test
    void anIdThatIsToBeRememberedIs() {
        AcquisitionId holder = id();
        answered(store, acquire("job", holder), Answer.Granted.class);
        Step doubtful = new Step.Release(new LockName("job"), holder, Duration.ZERO, Duration.ofMinutes(1));

        assertThat(store.apply(List.of(doubtful, acquire("job", holder)), CALL))
                .extracting(Answer::getClass)
                .isEqualTo(List.of(Answer.Released.class, Answer.Gone.class));
    }
}
