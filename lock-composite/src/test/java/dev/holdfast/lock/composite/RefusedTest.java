package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.regime.Duty;
import dev.holdfast.lock.composite.regime.Lane;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reading;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Processes with a wrong password for the primary, which others may have right. On real servers and a clock that the test sets
 * ahead.
 */
class RefusedTest {

    private static final Timing TIMING = new Timing(Duration.ofMinutes(2));
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    /** Each lasts for as long as it takes until something urgent is repeated; together they last for three regime leases. */
    private static final int ROUNDS = 60;

    private static final AtomicInteger SPACES = new AtomicInteger();
    private static Servers servers;

    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    private final Clock clock = () -> Clock.SYSTEM.now().plus(ahead.get());
    private final Namespace namespace = new Namespace("refused-" + SPACES.incrementAndGet());
    private final AuthorityStore authority = new JdbcLockProvider().openAuthority(namespace, config("right"), true);
    private final Participant served = new Participant(1, "right");
    private final Participant refused = new Participant(2, "wrong");
    private final Participant another = new Participant(3, "wrong");

    @BeforeAll
    static void start() {
        servers = Servers.sharing(RedisServer.own("user app on >right ~* &* +@all"));
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @AfterEach
    void close() {
        List.of(served, refused, another).forEach(Participant::close);
        authority.close();
    }

    @Test
    void aPrimaryThatServesOneProcessIsNotDeposedByTheManyThatItRefuses() {
        crown();

        for (int round = 0; round < ROUNDS; round++) {
            goOn(served, refused, another);
        }

        Reading reading = reading();
        assertThat(reading.regime().epoch()).isEqualTo(2);
        assertThat(reading.regime().mode()).isEqualTo(Mode.PRIMARY);
        assertThat(reading.members()).isEqualTo(3);
        assertThat(reading.suspecting()).isEqualTo(2);
        assertThat(served.acquired()).isInstanceOf(Answer.Granted.class);
        assertThat(refused.acquired())
                .isInstanceOfSatisfying(
                        Answer.Unavailable.class,
                        unavailable -> assertThat(unavailable.why()).hasMessageContaining("WRONGPASS"));
    }

    @Test
    void aPrimaryThatRefusesEveryProcessIsDeposedAndTheyAreServedByTheAuthority() {
        crown();

        for (int round = 0; round < ROUNDS && reading().regime().mode() != Mode.FALLBACK; round++) {
            goOn(refused, another);
        }

        assertThat(reading().regime().cause()).contains("no process can use it", "WRONGPASS");
        goOn(refused, another);
        assertThat(refused.acquired()).isInstanceOf(Answer.Granted.class);
    }

    private void crown() {
        authority.found(TIMING.lease(), 1, TIMEOUT);
        served.primary.examine(TIMEOUT);
        ChangingProvider.crown(authority, served.primary, 1);
    }

    private Reading reading() {
        return authority.look(TIMEOUT).orElseThrow();
    }

    private void goOn(Participant... participants) {
        ahead.updateAndGet(before -> before.plus(TIMING.urgency()));
        for (Participant participant : participants) {
            participant.doDuties();
        }
    }

    private static Config config(String password) {
        Properties properties =
                servers.configuration("composite", TIMING.lease().toSeconds() + "s");
        properties.setProperty("lock.redis.username", "app");
        properties.setProperty("lock.redis.password", password);
        return Servers.config(properties);
    }

    private final class Participant implements AutoCloseable {

        private final long number;
        private final PrimaryStore primary;
        private final Seat seat;

        Participant(long number, String password) {
            this.number = number;
            this.primary =
                    new LatePrimary(new RedisLockProvider().primary(namespace, config(password)), () -> {}, clock);
            this.seat = Duties.seat(number, TIMING, clock);
        }

        void doDuties() {
            for (Lane lane : Lane.values()) {
                Duty<?> duty = seat.with((member, now) -> member.next(lane, now));
                while (duty != null) {
                    Duties.carryOut(seat, duty, primary, authority, TIMEOUT);
                    duty = seat.with((member, now) -> member.next(lane, now));
                }
            }
        }

        Answer acquired() {
            Step.Acquire step = new Step.Acquire(
                    new LockName("job"), new AcquisitionId(8, number), Duration.ofHours(1), false, 0, "test");
            return new Asking(seat, primary, authority)
                    .apply(List.of(step), Deadline.in(TIMEOUT))
                    .get(0);
        }

        @Override
        public void close() {
            seat.close();
            primary.close();
        }
    }
}
