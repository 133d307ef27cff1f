package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.server.OnServerOfItsOwn;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockInfo.Holder;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The grants that a reign carries over from the fallback are the same grants under it. */
class CarriedGrantsTest extends OnServerOfItsOwn {

    private static final Duration REMAINING = Duration.ofMinutes(3);

    static Carried carried(String name, AcquisitionId id, boolean kept) {
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

    private static AbstractThrowableAssert<?, ?> deposed(ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(DeposedException.class);
    }
}
