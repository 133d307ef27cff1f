package dev.holdfast.lock.simulation;

import dev.holdfast.lock.composite.protocol.Member;
import dev.holdfast.lock.composite.protocol.StoreTask;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Carries out the tasks of a member, one at a time for each store, as the composite's loop does on its threads. */
final class MemberTasks {

    private static final Duration SHORTEST_PAUSE = Duration.ofNanos(1);
    private static final int STARTS_PER_INSTANT = 100;

    private final FailoverWorld world;
    private final FailoverProcess process;
    private final Member member;
    private final StoreLinks links;
    private final Set<StoreTask.Target> busy = EnumSet.noneOf(StoreTask.Target.class);
    private final Map<StoreTask.Target, Timers.Timer> wakeUps = new EnumMap<>(StoreTask.Target.class);
    private long startedAt;
    private int starts;

    MemberTasks(FailoverWorld world, FailoverProcess process, Member member, StoreLinks links) {
        this.world = world;
        this.process = process;
        this.member = member;
        this.links = links;
    }

    /** Begins what is due. */
    void start() {
        for (StoreTask.Target target : StoreTask.Target.values()) {
            start(target);
        }
    }

    private void start(StoreTask.Target target) {
        if (busy.contains(target)) {
            return;
        }
        world.watch.checker().that(!spins(), "spin: the task for the %s is due again and again", target);
        Timers.Timer timer = wakeUps.remove(target);
        if (timer != null) {
            timer.cancel();
        }
        DualClockInstant now = process.now();
        StoreTask<?> task = member.next(target, now);
        if (task == null) {
            Duration idle = Durations.max(member.idleTime(target, now), SHORTEST_PAUSE);
            wakeUps.put(target, process.after(idle, () -> process.run(() -> start(target))));
        } else {
            carryOut(target, task);
        }
    }

    private boolean spins() {
        boolean isSameInstant = world.time.now() - startedAt < 100_000;
        starts = isSameInstant ? starts + 1 : 0;
        startedAt = isSameInstant ? startedAt : world.time.now();
        return starts > STARTS_PER_INSTANT;
    }

    private <T> void carryOut(StoreTask.Target target, StoreTask<T> task) {
        busy.add(target);
        DualClockInstant sent = process.now();
        RedisNode server = process.node();
        Duration timeout = world.timing.readInterval();
        Supplier<T> question = () -> task.call().execute(server, world.authority, timeout);
        BiConsumer<T, RuntimeException> conclude = (answer, failure) -> {
            boolean isLax = target == StoreTask.Target.AUTHORITY
                    && world.mutant == FailoverMutant.GOES_ON_WITHOUT_THE_AUTHORITY;
            DualClockInstant counted =
                    isLax ? process.now().plus(world.timing.lease().multipliedBy(3)) : sent;
            task.completion().complete(answer, failure, counted, process.now());
            busy.remove(target);
            process.retryRefused();
            start();
        };
        if (target == StoreTask.Target.PRIMARY) {
            links.toPrimary(server, timeout, false, question, conclude);
        } else {
            links.toAuthority(timeout, false, question, conclude);
        }
    }
}
