package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.Opened;
import dev.holdfast.lock.redis.server.Commands;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockInfo.Holder;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reign;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** How a reign comes to power: once, and with the grants that were carried over. */
class AscentTest {

    private static final Duration REMAINING = Duration.ofMinutes(3);

    private RedisServer server;
    private RedisClient admin;

    @BeforeEach
    void start() {
        server = RedisServer.own();
        admin = server.client();
    }

    @AfterEach
    void stop() {
        admin.close();
        server.close();
    }

    private static Carried carried(String name, AcquisitionId id, boolean kept) {
        return new Carried(new LockName(name), id, 42, Duration.ofMinutes(1), REMAINING, kept, "who held it before");
    }

    @Test
    void aCarriedGrantIsItsHoldersWithItsTokenAndNoShorterThanTold() {
        try (Crown crown = Crown.claim(server.uri(), 2)) {
            AcquisitionId id = Steps.id();
            crown.install();
            long start = System.nanoTime();
            crown.store().copy(crown.reign(), List.of(carried("job", id, false)), Steps.CALL);

            Answer.Granted asked = crown.answered(Steps.acquire("job", id), Answer.Granted.class);
            Duration passed = Duration.ofNanos(System.nanoTime() - start);
            assertThat(asked.token()).isEqualTo(42);
            assertThat(asked.remaining()).isBetween(REMAINING.plusSeconds(1).minus(passed), REMAINING.plusSeconds(2));
            assertThat(crown.answered(Steps.renew("job", id), Answer.Granted.class)
                            .token())
                    .isEqualTo(42);
            crown.answered(Steps.acquire("job", Steps.id()), Answer.Busy.class);
            crown.answered(Steps.renew("job", Steps.id()), Answer.Gone.class);
            assertThat(crown.ask(Steps.release("job", id))).isEqualTo(new Answer.Released(true));
            crown.answered(Steps.acquire("job", Steps.id()), Answer.Granted.class);
        }
    }

    @Test
    void aLockThatWasKeptStaysKept() {
        try (Crown crown = Crown.claim(server.uri(), 2)) {
            AcquisitionId id = Steps.id();
            crown.install();
            crown.store().copy(crown.reign(), List.of(carried("job", id, true)), Steps.CALL);

            crown.answered(Steps.renew("job", id), Answer.Gone.class);
            crown.answered(Steps.acquire("job", id), Answer.Gone.class);
            crown.answered(Steps.acquire("job", Steps.id()), Answer.Busy.class);
            assertThat(crown.ask(Steps.release("job", id))).isEqualTo(new Answer.Released(false));
            crown.answered(Steps.acquire("job", Steps.id()), Answer.Busy.class);
        }
    }

    @Test
    void whatWasCarriedIsShownAsItWas() {
        try (Crown crown = Crown.claim(server.uri(), 2)) {
            AcquisitionId id = Steps.id();
            Instant before = Instant.now();
            crown.install();
            crown.store()
                    .copy(crown.reign(), List.of(carried("held", id, false), carried("kept", id, true)), Steps.CALL);

            List<LockInfo> shown =
                    crown.store().inspect(crown.reign(), "", Steps.CALL).toList();
            assertThat(shown).extracting(each -> each.name().value()).containsExactly("held", "kept");
            Holder holder = shown.get(0).holder().orElseThrow();
            assertThat(holder.id()).isEqualTo(id);
            assertThat(holder.owner()).isEqualTo("who held it before");
            assertThat(holder.since())
                    .isBetween(before.minusSeconds(61), Instant.now().minusSeconds(59));
            assertThat(shown.get(1).holder()).isEmpty();
        }
    }

    @Test
    void moreThanAPageIsCopiedAndCopyingTwiceDoesNoHarm() {
        try (Crown crown = Crown.claim(server.uri(), 2)) {
            List<Carried> grants = IntStream.range(0, 1_001)
                    .mapToObj(each -> carried("job " + each, Steps.id(), false))
                    .toList();
            crown.install();
            crown.store().copy(crown.reign(), grants, Steps.CALL);
            crown.store().copy(crown.reign(), grants, Steps.CALL);

            assertThat(crown.store()
                            .apply(
                                    crown.reign(),
                                    grants.stream()
                                            .map(each -> Steps.renew(each.name().value(), each.id()))
                                            .<Step>map(each -> each)
                                            .toList(),
                                    Steps.CALL))
                    .hasSize(1_001)
                    .allSatisfy(answer -> assertThat(answer).isInstanceOf(Answer.Granted.class));
        }
    }

    @Test
    void whatWasCopiedStays() {
        try (Crown crown = Crown.claim(server.uri(), 2)) {
            AcquisitionId id = Steps.id();
            crown.install();
            crown.store().copy(crown.reign(), List.of(carried("job", id, false)), Steps.CALL);
            crown.store().copy(crown.reign(), List.of(carried("job", Steps.id(), true)), Steps.CALL);

            crown.answered(Steps.renew("job", id), Answer.Granted.class);
        }
    }

    @Test
    void theGrantsOfAnEarlierReignAreNoneOfItsOwn() {
        try (Crown crown = Crown.of(server.uri(), 2)) {
            AcquisitionId id = Steps.id();
            crown.answered(Steps.acquire("job", id), Answer.Granted.class);

            Crown next = crown.at(4);
            next.install();

            next.answered(Steps.renew("job", id), Answer.Gone.class);
            next.answered(Steps.acquire("job", Steps.id()), Answer.Granted.class);
            assertThat(next.store().inspect(next.reign(), "", Steps.CALL)).hasSize(1);
        }
    }

    @Test
    void itIsInstalledOnce() {
        try (Crown crown = Crown.of(server.uri(), 2)) {
            long token = crown.answered(Steps.acquire("job", Steps.id()), Answer.Granted.class)
                    .token();

            deposed(crown::install).hasMessageContaining("epoch 2 was installed");

            assertThat(crown.answered(Steps.acquire("other", Steps.id()), Answer.Granted.class)
                            .token())
                    .isGreaterThan(token);
        }
    }

    @Test
    void whatForgetsACopyForgetsTheMark() {
        try (Crown crown = Crown.of(server.uri(), 2)) {
            List<Carried> grants = List.of(carried("job", Steps.id(), false));
            crown.store().copy(crown.reign(), grants, Steps.CALL);
            admin.flushAll();

            deposed(() -> crown.store().copy(crown.reign(), grants, Steps.CALL)).hasMessageContaining("mark");
            assertThat(crown.evidence(Steps.acquire("job", Steps.id()))).contains("mark");
            assertThat(admin.keys("*")).isEmpty();
        }
    }

    @Test
    void nothingIsCopiedWithoutAMark() {
        try (Crown crown = Crown.claim(server.uri(), 2)) {
            List<Carried> grants = List.of(carried("job", Steps.id(), false));
            deposed(() -> crown.store().copy(crown.reign(), grants, Steps.CALL)).hasMessageContaining("mark");
        }
    }

    @Test
    void whatComesLateIsRefused() {
        try (Crown crown = Crown.of(server.uri(), 4)) {
            List<Carried> grants = List.of(carried("late", Steps.id(), false));

            deposed(() -> crown.store().copy(crown.at(2).reign(), grants, Steps.CALL))
                    .hasMessageContaining("epoch 4");
            deposed(crown.at(2)::install).hasMessageContaining("epoch 4");

            crown.answered(Steps.acquire("late", Steps.id()), Answer.Granted.class);
        }
    }

    @Test
    void nothingIsWrittenWhereTheDataAreOfAnotherLineageOrThereIsNoMaster() {
        try (Crown crown = Crown.claim(server.uri(), 2)) {
            Crown stranger = new Crown(crown.store(), new Reign(2, "0".repeat(40)));
            deposed(stranger::install).hasMessageContaining("lineage");
            deposed(() -> crown.store().copy(stranger.reign(), List.of(carried("job", Steps.id(), false)), Steps.CALL))
                    .hasMessageContaining("lineage");

            Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
            deposed(crown::install).hasMessageContaining("replica");
            deposed(() -> crown.store().copy(crown.reign(), List.of(carried("job", Steps.id(), false)), Steps.CALL))
                    .hasMessageContaining("replica");

            assertThat(admin.keys("*")).isEmpty();
        }
    }

    @Test
    void whatIsNoMarkIsInNobodysWay() {
        admin.hset(Crown.MARK, "something", "else");
        try (Crown crown = Crown.of(server.uri(), 2)) {
            crown.answered(Steps.acquire("job", Steps.id()), Answer.Granted.class);
        }
    }

    @Test
    void itIsSentOnceAlsoIfNobodyAnswers() {
        try (PrimaryStore store = Opened.primary(server.uri());
                Commands commands = new Commands(server)) {
            Reign reign = new Reign(2, store.examine(Steps.CALL).lineage());
            deposed(() -> store.install(new Reign(2, "another"), 1, Steps.CALL)); // it knows the script now
            commands.forget();

            server.freeze();
            try {
                assertThatThrownBy(() -> store.install(reign, Crown.BASE, Duration.ofMillis(100)))
                        .isInstanceOf(LockUnavailableException.class);
            } finally {
                server.thaw(); // and it reads what came meanwhile
            }
            new Crown(store, reign).awaitAnswer();

            assertThat(commands.count("EVAL", "EVALSHA")).isEqualTo(1);
            assertThat(admin.get(Crown.MARK)).isEqualTo("2 1000 1000");
        }
    }

    @Test
    void aServerThatDoesNotKnowTheScriptLearnsItAndCarriesItOutOnce() {
        try (Crown crown = Crown.claim(server.uri(), 2)) {
            Administrator.order(admin, "SCRIPT", "FLUSH");

            crown.install();

            assertThat(admin.get(Crown.MARK)).isEqualTo("2 1000 1000");
            assertThat(admin.pttl(Crown.MARK)).as("it does not expire").isEqualTo(-1);
        }
    }

    private static AbstractThrowableAssert<?, ?> deposed(ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(DeposedException.class);
    }
}
