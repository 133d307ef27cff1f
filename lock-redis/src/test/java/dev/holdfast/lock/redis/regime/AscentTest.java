package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.Opened;
import dev.holdfast.lock.redis.server.Commands;
import dev.holdfast.lock.redis.server.OnServerOfItsOwn;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reign;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** How a reign comes to power: once, of its own lineage, and with no grants of an earlier one. */
class AscentTest extends OnServerOfItsOwn {

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
    void whatComesLateIsRefused() {
        try (Crown crown = Crown.of(server.uri(), 4)) {
            List<Carried> grants = List.of(CarriedGrantsTest.carried("late", Steps.id(), false));

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
            deposed(() -> crown.store()
                            .copy(
                                    stranger.reign(),
                                    List.of(CarriedGrantsTest.carried("job", Steps.id(), false)),
                                    Steps.CALL))
                    .hasMessageContaining("lineage");

            Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
            deposed(crown::install).hasMessageContaining("replica");
            deposed(() -> crown.store()
                            .copy(
                                    crown.reign(),
                                    List.of(CarriedGrantsTest.carried("job", Steps.id(), false)),
                                    Steps.CALL))
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
