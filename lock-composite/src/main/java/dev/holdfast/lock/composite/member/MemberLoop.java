package dev.holdfast.lock.composite.member;

import dev.holdfast.lock.composite.protocol.StoreTask;
import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the tasks of a member, on one thread per store: a store that hangs must not delay the other. */
public final class MemberLoop {

    private static final Logger log = LoggerFactory.getLogger(MemberLoop.class);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final SerializedMember member;
    private final PrimaryStore primary;
    private final AuthorityStore authority;
    private final Duration timeout;
    private final Map<Target, Thread> threads = new EnumMap<>(Target.class);

    /** @param timeout the time for which a store may be silent */
    public MemberLoop(SerializedMember member, PrimaryStore primary, AuthorityStore authority, Duration timeout) {
        this.member = member;
        this.primary = primary;
        this.authority = authority;
        this.timeout = timeout;
    }

    public void start() {
        for (Target target : Target.values()) {
            Thread thread = DaemonThreadFactory.unstarted(
                    "holdfast-failover-" + target.name().toLowerCase(Locale.ROOT), () -> run(target));
            threads.put(target, thread);
            thread.start();
        }
    }

    /** A failure ends only the current task: without this loop the process would lose every lease. */
    private void run(Target target) {
        while (true) {
            try {
                StoreTask<?> task = member.take(target);
                if (task == null) {
                    return;
                }
                execute(member, task, primary, authority, timeout);
            } catch (InterruptedException e) {
                log.debug("the member loop of the {} has ended", target);
                return;
            } catch (Throwable e) {
                log.error("a failover task for the {} failed; the member loop goes on", target, e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Calls the store, and passes the outcome to the member. */
    public static <T> void execute(
            SerializedMember member,
            StoreTask<T> task,
            PrimaryStore primary,
            AuthorityStore authority,
            Duration timeout) {
        DualClockInstant sent = member.now();
        @Nullable T result = null;
        @Nullable RuntimeException failure = null;
        try {
            result = task.call().execute(primary, authority, timeout);
        } catch (RuntimeException e) {
            failure = e;
        } catch (Error e) { // such as "unable to create native thread", which may pass
            failure = new IllegalStateException(e);
        }
        log.debug("{} -> {}", task.description(), failure == null ? text(result) : failure.getMessage());
        member.complete(task, result, failure, sent);
    }

    /** An outcome for the log, without store tokens: everything else shows fencing tokens. */
    static String text(@Nullable Object result) {
        if (result instanceof AuthorityReading reading) {
            return reading.state().phase() + " of epoch " + reading.state().epoch() + ", " + reading.members()
                    + " members, " + reading.suspecting() + " suspecting";
        } else if (result instanceof PrimaryHealth health) {
            return "epoch " + health.epoch() + ", " + health.objection().orElse("well");
        } else if (result instanceof Collection<?> several) {
            return several.size() + " results";
        }
        return String.valueOf(result);
    }

    /** Begins no further task. */
    public void close() {
        member.close();
        threads.values().forEach(Thread::interrupt);
    }

    /** Waits until no task for this store is in progress after the close, and returns whether that is so by the deadline. */
    public boolean awaitEnd(Target target, Deadline deadline) {
        Thread thread = threads.get(target);
        if (thread == null) {
            return true;
        }
        int left = deadline.millisLeft();
        try {
            if (left > 0) {
                thread.join(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
