package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/** A member whose time, authority and stores are what a test says: no simulation by chance, but one order of events. */
final class Script {

    static final Timing TIMING = new Timing(Duration.ofSeconds(10));
    static final Duration LEASE = Duration.ofSeconds(60);
    static final LockName JOB = new LockName("job");
    static final AcquisitionId ID = new AcquisitionId(1, 1);
    static final LockReply.Granted GRANTED = new LockReply.Granted(101, LEASE);

    /** A call of a store by a task. */
    record Call(String method, List<Object> arguments) {}

    final Member member = new Member(new AcquisitionId(7, 7), "test", TIMING, new Recorder());
    final List<Call> calls = new ArrayList<>();
    final List<FailoverEvent> events = new ArrayList<>();
    /** How many times the engine was told to look at its leases again. */
    int shortened;

    private long nanos;
    private long wallAhead;

    DualClockInstant now() {
        return new DualClockInstant(nanos, nanos + wallAhead);
    }

    /** The wall clock is set, the other clock is not. */
    void setWallClock(Duration ahead) {
        wallAhead = ahead.toNanos();
    }

    void pass(Duration time) {
        nanos += time.toNanos();
    }

    static AuthorityState authorityState(long epoch, FailoverPhase phase) {
        String replicationId = phase == FailoverPhase.PRIMARY || phase == FailoverPhase.FAILING_BACK ? "id" : "";
        return new AuthorityState(
                epoch, phase, replicationId, TIMING.lease(), 100, 1, "a test wants it", Instant.EPOCH);
    }

    /** The member reads this authority state, in no time. */
    void learn(long epoch, FailoverPhase phase) {
        learn(epoch, phase, Duration.ZERO);
    }

    /** The reply to the read takes some time. */
    void learn(long epoch, FailoverPhase phase, Duration delay) {
        pass(TIMING.readInterval());
        DualClockInstant sent = now();
        @SuppressWarnings("unchecked")
        StoreTask<AuthorityReading> read = (StoreTask<AuthorityReading>) member.next(Target.AUTHORITY, sent);
        pass(delay);
        read.completion().complete(new AuthorityReading(authorityState(epoch, phase), 1, 0), null, sent, now());
    }

    /** The next task, by what the stores reply; false if there is none. */
    boolean run(Target target, BiFunction<String, List<Object>, Object> replies) {
        StoreTask<?> task = member.next(target, now());
        if (task != null) {
            run(task, replies);
        }
        return task != null;
    }

    <T> void run(StoreTask<T> task, BiFunction<String, List<Object>, Object> replies) {
        DualClockInstant sent = now();
        T result = null;
        RuntimeException failure = null;
        try {
            result = task.call()
                    .execute(
                            store(PrimaryStore.class, replies),
                            store(AuthorityStore.class, replies),
                            TIMING.readInterval());
        } catch (RuntimeException e) {
            failure = e;
        }
        task.completion().complete(result, failure, sent, now());
    }

    private <T> T store(Class<T> kind, BiFunction<String, List<Object>, Object> replies) {
        return kind.cast(Proxy.newProxyInstance(
                kind.getClassLoader(), new Class<?>[] {kind}, (proxy, method, arguments) -> {
                    List<Object> all = Arrays.asList(arguments);
                    calls.add(new Call(method.getName(), all));
                    return replies.apply(method.getName(), all);
                }));
    }

    RoutedBatch route(LockCommand command) {
        return member.route(List.of(command), now());
    }

    /** The replies to these commands, which are sent in one call and answered so. */
    List<LockReply> call(List<LockCommand> commands, List<LockReply> replies) {
        return member.settle(member.route(commands, now()), replies, now(), now());
    }

    LockReply settle(RoutedBatch batch, LockReply reply) {
        return settle(batch, reply, now());
    }

    LockReply settle(RoutedBatch batch, LockReply reply, DualClockInstant sent) {
        return member.settle(batch, batch.sent().isEmpty() ? List.of() : List.of(reply), sent, now())
                .get(0);
    }

    /** The lock is acquired in the state that is known. */
    void acquire() {
        acquire(Share.EXCLUSIVE);
    }

    /** The same with this share. */
    void acquire(Share share) {
        settle(route(new LockCommand.Acquire(JOB, ID, LEASE, false, 0, "test", share)), GRANTED);
    }

    static LockCommand acquisition() {
        return new LockCommand.Acquire(JOB, ID, LEASE, false, 0, "test");
    }

    static LockCommand release() {
        return new LockCommand.Release(JOB, ID, Duration.ZERO, Duration.ZERO);
    }

    /** For how long the lease is valid from now on, by the authority lease; zero if it is not. */
    Duration validFor() {
        return Durations.max(end().leftAt(now()), Duration.ZERO);
    }

    /** When the lease is over, as the engine is told now. */
    DualClockInstant end() {
        return member.end(JOB, ID, now().plus(Duration.ofHours(1)), now());
    }

    private final class Recorder implements Member.Listener {
        @Override
        public void failover(FailoverEvent event) {
            events.add(event);
        }

        @Override
        public void transition(FailoverPhase phase) {}

        @Override
        public void leasesShortened() {
            shortened++;
        }
    }
}
