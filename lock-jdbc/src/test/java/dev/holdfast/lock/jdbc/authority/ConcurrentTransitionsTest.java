package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.authority.Authority.AUTHORITY_LEASE;
import static dev.holdfast.lock.jdbc.authority.Authority.REPLICATION_ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.ManyThreads;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Concurrent transitions from one state: one succeeds. */
@Tag("first-build")
class ConcurrentTransitionsTest extends ManyThreads {

    private static final int RACERS = 8;

    @Test
    void transition_byManyAtOnce_isMadeByOne() throws Exception {
        try (Authority authority = Authority.on(database, "lock.jdbc.pool-size", Integer.toString(RACERS))) {
            List<AuthorityState> founded = race(racer -> authority.store().initialize(AUTHORITY_LEASE, racer, CALL));
            assertThat(Set.copyOf(founded)).hasSize(1);
            for (int round = 0; round < 3; round++) {
                long epoch = authority.state().epoch();
                onlyOne(authority, new Transition.BeginFailback(epoch, REPLICATION_ID));
                onlyOne(authority, new Transition.AbortFailback(epoch + 1, "raced"));
                onlyOne(authority, new Transition.BeginFailback(epoch + 2, REPLICATION_ID));
                onlyOne(authority, new Transition.ActivatePrimary(epoch + 3));
                onlyOne(authority, new Transition.DrainPrimary(epoch + 3, "raced"));
                onlyOne(authority, new Transition.ActivateFallback(epoch + 4));
                assertThat(authority.state().epoch()).isEqualTo(epoch + 4);
            }
        }
    }

    private void onlyOne(Authority authority, Transition change) throws Exception {
        assertThat(race(racer -> authority.change(change)))
                .as("%s", change)
                .filteredOn(made -> made)
                .hasSize(1);
    }

    /** ActivatePrimary and AbortFailback start from the same authority state. */
    @Test
    void transitions_twoAtOnce_oneIsMade() throws Exception {
        try (Authority authority = Authority.founded(database)) {
            for (int round = 0; round < 5; round++) {
                long epoch = authority
                        .pass(new Transition.BeginFailback(authority.state().epoch(), REPLICATION_ID))
                        .epoch();
                List<Boolean> made = race(racer -> authority.change(
                        racer % 2 == 0
                                ? new Transition.ActivatePrimary(epoch)
                                : new Transition.AbortFailback(epoch, "raced")));
                assertThat(made).filteredOn(each -> each).hasSize(1);
                if (authority.change(new Transition.DrainPrimary(epoch, "raced"))) {
                    authority.pass(new Transition.ActivateFallback(epoch + 1));
                }
            }
        }
    }

    private <T> List<T> race(Function<Integer, T> each) throws Exception {
        CyclicBarrier start = new CyclicBarrier(RACERS);
        List<Callable<T>> all = new ArrayList<>();
        for (int racer = 0; racer < RACERS; racer++) {
            int number = racer;
            all.add(() -> {
                start.await();
                return each.apply(number);
            });
        }
        List<T> results = new ArrayList<>();
        for (Future<T> result : threads.invokeAll(all)) {
            results.add(result.get());
        }
        return results;
    }
}
