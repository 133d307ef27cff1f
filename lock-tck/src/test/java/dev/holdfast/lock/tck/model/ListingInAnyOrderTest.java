package dev.holdfast.lock.tck.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A listing from 10 to 20 ms, beside commands that are under way. */
class ListingInAnyOrderTest {

    private static final LockName JOB = new LockName("job");
    private static final AcquisitionId ONE = new AcquisitionId(0, 1);
    private static final AcquisitionId TWO = new AcquisitionId(0, 2);
    private static final AcquisitionId THREE = new AcquisitionId(0, 3);
    private static final Duration LEASE = Duration.ofSeconds(100);
    private static final LockReply QUEUED = new LockReply.Queued(Duration.ofSeconds(1));
    private static final LockReply LOST = new LockReply.Unavailable(new IllegalStateException("no reply"));

    private final List<Operation> history = new ArrayList<>();

    @BeforeEach
    void grantToOne() {
        at(0, 1, acquire(ONE, LEASE), granted(1, LEASE));
    }

    @Test
    void listing_besideARelease_showsTheHolderOrNone() {
        at(5, 15, release(ONE), new LockReply.Released(true));

        assertThat(demand(held(ONE, 1))).isEmpty();
        assertThat(demand(Optional.empty())).isEmpty();
        assertThat(demand(held(TWO, 1))).contains("was never granted the lock with token 1");
        assertThat(demand(held(ONE, 2))).contains("was never granted the lock with token 2");
    }

    @Test
    void listing_besideAnotherCommand_showsTheHolder() {
        at(5, 15, queueing(TWO), QUEUED);

        assertThat(demand(held(ONE, 1))).isEmpty();
        assertThat(demand(held(ONE, 1, "two"))).isEmpty();
        assertThat(demand(Optional.empty())).contains("the listed holder must be one");
        assertThat(demand(held(ONE, 1, "three"))).contains("'three' must not be listed");
        assertThat(demand(held(ONE, 1, "two", "two"))).contains("'two' must not be listed");
    }

    @Test
    void listing_afterAGrantToAnother_doesNotShowThePreviousHolder() {
        at(2, 3, release(ONE), new LockReply.Released(true));
        at(4, 5, acquire(TWO, LEASE), granted(2, LEASE));
        at(9, 15, release(TWO), new LockReply.Released(true));

        assertThat(demand(held(TWO, 2))).isEmpty();
        assertThat(demand(held(ONE, 1))).contains("the one with token 1 is over");
    }

    @Test
    void listing_afterARelease_doesNotShowTheHolder() {
        at(2, 3, release(ONE), new LockReply.Released(true));
        at(9, 15, acquire(TWO, LEASE), granted(2, LEASE));

        assertThat(demand(held(TWO, 2))).isEmpty();
        assertThat(demand(Optional.empty())).isEmpty();
        assertThat(demand(held(ONE, 1))).contains("has released the lock before");
    }

    @Test
    void listing_ofWaitersBehindAHolder_showsThemInTheirOrder() {
        at(2, 3, queueing(TWO), QUEUED);
        at(4, 5, queueing(THREE), QUEUED);
        at(9, 15, new LockCommand.Renew(JOB, ONE, LEASE), granted(1, LEASE));

        assertThat(demand(held(ONE, 1, "two", "three"))).isEmpty();
        assertThat(demand(held(ONE, 1, "three"))).contains("the waiter two has a place");
        assertThat(demand(held(ONE, 1, "three", "two"))).contains("three must be listed after those that came before");
    }

    @Test
    void listing_besideTheWithdrawalOfAWaiter_showsItOrNot() {
        at(2, 3, queueing(TWO), QUEUED);
        at(9, 15, release(TWO), new LockReply.Released(false));

        assertThat(demand(held(ONE, 1, "two"))).isEmpty();
        assertThat(demand(held(ONE, 1))).isEmpty();
    }

    @Test
    void listing_afterAReleaseWithoutAReply_showsTheHolderOrNone() {
        at(2, 3, release(ONE), LOST);
        at(9, 15, queueing(TWO), LOST);

        assertThat(demand(held(ONE, 1))).isEmpty();
        assertThat(demand(Optional.empty())).isEmpty();
        assertThat(demand(held(TWO, 2))).isEmpty();
    }

    @Test
    void listing_longAfterTheEndOfALease_doesNotShowIt() {
        history.clear();
        at(0, 1, acquire(ONE, Duration.ofMillis(2)), granted(1, Duration.ofMillis(2)));
        at(9, 15, release(TWO), new LockReply.Released(false));

        assertThat(demand(Optional.empty())).isEmpty();
        assertThat(demand(held(ONE, 1))).contains("has ended before");
    }

    @Test
    void listing_asKept_needsAMinimumHold() {
        at(5, 15, release(ONE), new LockReply.Released(true));
        Optional<LockInfo> kept =
                Optional.of(new LockInfo(JOB, Optional.empty(), Optional.of(Instant.EPOCH), List.of()));
        assertThat(demand(kept)).contains("must not be listed as kept");

        history.set(1, executed(5, 15, new LockCommand.Release(JOB, ONE, LEASE, LEASE), new LockReply.Released(true)));
        assertThat(demand(kept)).isEmpty();
    }

    /** What is wrong with this listing; empty if nothing is. */
    private String demand(Optional<LockInfo> shown) {
        List<Operation> all = new ArrayList<>(history);
        all.add(new Operation.Listed(call(10, 20), 0, JOB, shown));
        return Explanation.missing(all, true)
                .map(each -> each.refusals().get(0).demand())
                .orElse("");
    }

    private static Optional<LockInfo> held(AcquisitionId id, long token, String... waiters) {
        LockInfo.Holder holder = new LockInfo.Holder(id, owner(id), token, Instant.EPOCH, Instant.EPOCH);
        return Optional.of(new LockInfo(JOB, Optional.of(holder), Optional.empty(), List.of(waiters)));
    }

    private static LockCommand acquire(AcquisitionId id, Duration lease) {
        return new LockCommand.Acquire(JOB, id, lease, false, 0, owner(id));
    }

    private static LockCommand queueing(AcquisitionId id) {
        return new LockCommand.Acquire(JOB, id, LEASE, true, 0, owner(id));
    }

    private static String owner(AcquisitionId id) {
        return List.of("", "one", "two", "three").get((int) id.low());
    }

    private static LockCommand release(AcquisitionId id) {
        return new LockCommand.Release(JOB, id, Duration.ZERO, Duration.ZERO);
    }

    private static LockReply granted(long token, Duration remaining) {
        return new LockReply.Granted(token, remaining);
    }

    private void at(int from, int to, LockCommand command, LockReply reply) {
        history.add(executed(from, to, command, reply));
    }

    private static Operation executed(int from, int to, LockCommand command, LockReply reply) {
        return new Operation.Executed(call(from, to), 0, command, reply);
    }

    /** The time of a call, in milliseconds, is its number as well. */
    private static Operation.Call call(int from, int to) {
        return new Operation.Call(
                from, "client", TimeUnit.MILLISECONDS.toNanos(from), TimeUnit.MILLISECONDS.toNanos(to));
    }
}
