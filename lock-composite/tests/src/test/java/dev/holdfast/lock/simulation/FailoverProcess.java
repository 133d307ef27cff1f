package dev.holdfast.lock.simulation;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.protocol.BrokenMembers;
import dev.holdfast.lock.composite.protocol.Member;
import dev.holdfast.lock.composite.protocol.RoutedBatch;
import dev.holdfast.lock.composite.protocol.StoreTask;
import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.EngineContext;
import dev.holdfast.lock.internal.engine.TurnLimits;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.failover.StaleTermException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One process of a composite: an engine, and a member that routes its commands and has its tasks carried out, over a faulty network. */
final class FailoverProcess extends Machine {

    private static final Duration SHORTEST_CALL = Duration.ofMillis(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofNanos(1);
    private static final long LATE = 20_000_000;
    private static final long THREADS_WAKE_UP = 5_000_000;
    private static final int PUMPS_PER_INSTANT = 100;

    private final FailoverWorld world;
    private final Member member;
    private final Engine engine;
    private final Set<StoreTask.Target> busy = EnumSet.noneOf(StoreTask.Target.class);
    private final Map<StoreTask.Target, Timers.Timer> wakeUps = new EnumMap<>(StoreTask.Target.class);
    /** When each id was asked for first. */
    private final Map<AcquisitionId, Long> asked = new HashMap<>();

    private final Map<Consumer<Notification>, AutoCloseable> subscriptions = new HashMap<>();

    /** What to retry in another authority state. */
    private final List<Runnable> waiting = new ArrayList<>();

    /** The server to which it is connected. */
    private RedisNode node;

    private boolean cutFromAuthority;
    private boolean cutFromPrimary;
    private long troubledUntil;
    private Runnable whenAcquiring = () -> {};
    private long strandedIn;
    private long strandedSince;
    private long pumpedAt;
    private int pumps;

    FailoverProcess(FailoverWorld world, RedisNode node) {
        super(world.time, world.random);
        this.world = world;
        this.node = node;
        this.member = newMember();
        GrantValidity tenure = new GrantValidity() {
            @Override
            public DualClockInstant end(LockName name, AcquisitionId id, DualClockInstant deadline) {
                return member.end(name, id, deadline, now());
            }

            @Override
            public boolean isSettled(LockName name, AcquisitionId id) {
                return member.isSettled(name, id, now());
            }
        };
        EngineContext outside = new EngineContext(
                this::now, this::after, this::call, tenure, this::signals, this::soon, this::soon, random::nextLong);
        this.engine = new Engine(
                outside,
                "simulated",
                Set.of(Capability.values()),
                TurnLimits.on(Duration.ZERO, OptionalInt.of(world.handoff)),
                0);
        pump();
    }

    private Member newMember() {
        AcquisitionId id = new AcquisitionId(random.nextLong(), random.nextLong());
        Member.Listener listener = new Member.Listener() {
            @Override
            public void failover(FailoverEvent event) {}

            @Override
            public void transition(FailoverPhase phase) {
                soon(FailoverProcess.this::resubscribe);
            }

            @Override
            public void leasesShortened() {
                soon(() -> engine.tickAll());
            }
        };
        return switch (world.mutant) {
            case SHORT_DRAIN -> BrokenMembers.withoutDrain(id, world.timing, listener);
            case EVERY_GRANT_COUNTS -> BrokenMembers.acceptingLateGrants(id, world.timing, listener);
            case CONFIRMS_BY_ITSELF -> BrokenMembers.confirmingByItself(id, world.timing, listener);
            case TRANSFERS_NO_MINIMUM_HOLD -> BrokenMembers.withoutMinimumHolds(id, world.timing, listener);
            case TRANSFERS_MINIMUM_HOLDS_AS_LEASES ->
                BrokenMembers.transferringMinimumHoldsAsLeases(id, world.timing, listener);
            case TRANSFERS_NOTHING -> BrokenMembers.withoutTransfer(id, world.timing, listener);
            default -> new Member(id, "simulated", world.timing, listener);
        };
    }

    Engine engine() {
        return engine;
    }

    /** How many leases and ids its member knows. */
    int known() {
        return BrokenMembers.known(member);
    }

    /** Another server is the one to be asked. */
    void connect(RedisNode other) {
        node = other;
        run(this::resubscribe);
    }

    RedisNode node() {
        return node;
    }

    void cutFromAuthority(long nanos) {
        cutFromAuthority = true;
        time.after(nanos, () -> cutFromAuthority = false);
    }

    void cutFromPrimary(long nanos) {
        cutFromPrimary = true;
        time.after(nanos, () -> cutFromPrimary = false);
    }

    /** When something went wrong here last that goes wrong for this process alone, or with the authority. */
    long troubledUntil() {
        return troubledUntil;
    }

    /** Something goes wrong that is no failover. */
    void troubled() {
        troubledUntil =
                Math.max(troubledUntil, time.now() + world.timing.lease().toNanos());
    }

    /** Nothing happens here for so long once it has asked the primary for a lock, and before it knows the answer. */
    void stopWithinAnAcquire(long nanos, boolean suspended) {
        whenAcquiring = () -> stop(nanos, suspended);
    }

    /**
     * It is this process's trouble if the primary in power serves other processes, but not this one, or if they cannot tell: then
     * they do not drain it within the time on which the shortest lease relies.
     */
    private void noteTrouble(LockReply reply, long since) {
        if (!(reply instanceof LockReply.Unavailable)
                || strandedIn != world.authority.state().epoch()) {
            strandedIn = world.authority.state().epoch();
            strandedSince = reply instanceof LockReply.Unavailable ? since : time.now();
        }
        if (time.now() - strandedSince > world.timing.detection().toNanos()) {
            troubled();
        }
    }

    @Override
    void stop(long nanos, boolean suspended) {
        super.stop(nanos, suspended);
        // What was on its way when it stopped is answered or given up some time later, and nothing else is asked until
        // then. Timers are late by what the clock by which they go has lost, each time.
        troubledUntil = Math.max(troubledUntil, time.now())
                + (suspended ? 2 * nanos : nanos)
                + world.timing.lease().toNanos();
    }

    // -- commands

    private void call(StoreExecutor.Lane lane, List<StoreRequest> requests) {
        requests.forEach(this::call);
    }

    private void call(StoreRequest request) {
        DualClockInstant sent = now();
        asked.putIfAbsent(request.command().id(), time.now());
        attempt(request, sent, sent.plus(request.timeout()));
    }

    /** A command that is refused because of a transition is routed again under the new authority state, while there is time. */
    private void attempt(StoreRequest request, DualClockInstant sent, DualClockInstant deadline) {
        long before = member.transitions();
        ask(request.command(), left(deadline), reply -> {
            boolean isRefused = reply instanceof LockReply.Unavailable unavailable
                    && unavailable.cause() instanceof StaleTermException;
            if (isRefused && member.transitions() != before) {
                soon(() -> attempt(request, sent, deadline));
            } else if (isRefused && deadline.isAfter(now())) {
                Runnable again = () -> attempt(request, sent, deadline);
                waiting.add(again);
                after(left(deadline), () -> {
                    if (waiting.remove(again)) {
                        reply(request, sent, reply);
                    }
                });
            } else {
                reply(request, sent, reply);
            }
        });
    }

    private Duration left(DualClockInstant deadline) {
        Duration left = now().until(deadline);
        return left.compareTo(SHORTEST_CALL) < 0 ? SHORTEST_CALL : left;
    }

    private void ask(LockCommand command, Duration timeout, Consumer<LockReply> listener) {
        RoutedBatch batch = member.route(List.of(command), now());
        if (member.isUrgent()) {
            soon(this::pump);
        }
        DualClockInstant sent = now();
        if (batch.sent().isEmpty()) {
            LockReply reply = member.settle(batch, List.of(), sent, sent).get(0);
            soon(() -> listener.accept(reply));
            return;
        }
        long sentAt = time.now();
        BiConsumer<List<LockReply>, RuntimeException> settle = (replies, failure) -> {
            LockReply reply = replies == null ? new LockReply.Unavailable(failure) : replies.get(0);
            if (batch.isForPrimary()) {
                noteTrouble(reply, sentAt);
            }
            LockReply settled =
                    member.settle(batch, List.of(reply), sent, now()).get(0);
            if (settled instanceof LockReply.Granted granted && command instanceof LockCommand.Acquire) {
                world.watch.granted(command.name(), command.id(), granted.token(), asked.get(command.id()));
            }
            listener.accept(settled);
            if (member.isUrgent()) {
                pump();
            }
        };
        if (batch.isForPrimary()) {
            RedisNode server = node;
            toPrimary(
                    server,
                    timeout,
                    true,
                    () -> server.execute(batch.authorityState().primaryTerm(), batch.sent(), timeout),
                    settle);
            if (command instanceof LockCommand.Acquire) {
                whenAcquiring.run();
                whenAcquiring = () -> {};
            }
        } else {
            toAuthority(
                    timeout,
                    true,
                    () -> world.authority.execute(batch.authorityState().epoch(), batch.sent(), timeout),
                    settle);
        }
    }

    private void reply(StoreRequest request, DualClockInstant sent, LockReply reply) {
        if (reply instanceof LockReply.Released released && request.command() instanceof LockCommand.Release release) {
            world.watch.over(release.name(), release.id(), released.wasHeld());
        }
        request.callback().accept(new StoreResponse(sent, reply));
    }

    // -- tasks

    private void pump() {
        for (StoreTask.Target target : StoreTask.Target.values()) {
            pump(target);
        }
    }

    private void pump(StoreTask.Target target) {
        if (busy.contains(target)) {
            return;
        }
        world.watch.checker().that(!spins(), "spin: the task for the %s is due again and again", target);
        Timers.Timer timer = wakeUps.remove(target);
        if (timer != null) {
            timer.cancel();
        }
        DualClockInstant now = now();
        StoreTask<?> task = member.next(target, now);
        if (task == null) {
            Duration idle = member.idleTime(target, now);
            wakeUps.put(
                    target,
                    after(idle.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : idle, () -> run(() -> pump(target))));
        } else {
            carryOut(target, task);
        }
    }

    /** Another authority state may have become known. */
    private void retry(long before) {
        if (member.transitions() != before) {
            List<Runnable> all = List.copyOf(waiting);
            waiting.clear();
            all.forEach(this::soon);
        }
    }

    private boolean spins() {
        boolean isSameInstant = time.now() - pumpedAt < 100_000;
        pumps = isSameInstant ? pumps + 1 : 0;
        pumpedAt = isSameInstant ? pumpedAt : time.now();
        return pumps > PUMPS_PER_INSTANT;
    }

    private <T> void carryOut(StoreTask.Target target, StoreTask<T> task) {
        busy.add(target);
        DualClockInstant sent = now();
        RedisNode server = node;
        Duration timeout = world.timing.readInterval();
        Supplier<T> question = () -> task.call().execute(server, world.authority, timeout);
        BiConsumer<T, RuntimeException> conclude = (answer, failure) -> {
            long before = member.transitions();
            boolean isLax = target == StoreTask.Target.AUTHORITY
                    && world.mutant == FailoverMutant.GOES_ON_WITHOUT_THE_AUTHORITY;
            task.completion()
                    .complete(
                            answer,
                            failure,
                            isLax ? now().plus(world.timing.lease().multipliedBy(3)) : sent,
                            now());
            busy.remove(target);
            retry(before);
            pump();
        };
        if (target == StoreTask.Target.PRIMARY) {
            toPrimary(server, timeout, false, question, conclude);
        } else {
            toAuthority(timeout, false, question, conclude);
        }
    }

    // -- messages

    private <T> void toPrimary(
            RedisNode server,
            Duration timeout,
            boolean mayBeRepeated,
            Supplier<T> question,
            BiConsumer<T, RuntimeException> reply) {
        // A server that is silent to all processes is not this process's trouble.
        send(() -> !server.isDown() && !cutFromPrimary, server::isDown, timeout, mayBeRepeated, question, reply);
    }

    private <T> void toAuthority(
            Duration timeout, boolean mayBeRepeated, Supplier<T> question, BiConsumer<T, RuntimeException> reply) {
        send(() -> !world.isAuthorityDown() && !cutFromAuthority, () -> false, timeout, mayBeRepeated, question, reply);
    }

    private <T> void send(
            Supplier<Boolean> reaches,
            Supplier<Boolean> isEverybodys,
            Duration timeout,
            boolean mayBeRepeated,
            Supplier<T> question,
            BiConsumer<T, RuntimeException> reply) {
        boolean[] arrived = new boolean[1];
        after(timeout, () -> {
            if (!arrived[0]) {
                arrived[0] = true;
                reply.accept(null, new LockUnavailableException("timeout", null));
            }
        });
        deliver(reaches, isEverybodys, world.network.delay(random), question, (answer, failure) -> {
            if (!arrived[0]) {
                arrived[0] = true;
                awake(() -> reply.accept(answer, failure));
            }
        });
        if (mayBeRepeated && world.network.repeats(random)) {
            deliver(reaches, () -> true, world.network.lateDelay(random), question, (answer, failure) -> {});
        }
    }

    /** What has arrived is read once the process runs; its threads go on in an order by chance. */
    private void awake(Runnable task) {
        boolean isLate = isStopped() || random.nextInt(20) == 0;
        run(() -> {
            if (isLate) {
                time.after(random.nextLong(THREADS_WAKE_UP), () -> run(task));
            } else {
                task.run();
            }
        });
    }

    private <T> void deliver(
            Supplier<Boolean> reaches,
            Supplier<Boolean> isEverybodys,
            long delay,
            Supplier<T> question,
            BiConsumer<T, RuntimeException> reply) {
        if (world.network.loses(random)) {
            troubled();
            return;
        }
        if (delay > LATE) {
            troubled();
        }
        time.after(delay, () -> {
            if (!reaches.get()) {
                if (!isEverybodys.get()) {
                    troubled();
                }
                if (world.network.refuses(random)) {
                    reply.accept(null, new LockUnavailableException("refused", null));
                }
                return;
            }
            T answer;
            RuntimeException failure;
            try {
                answer = question.get();
                failure = null;
            } catch (RuntimeException e) {
                answer = null;
                failure = e;
            }
            T given = answer;
            RuntimeException thrown = failure;
            if (world.network.loses(random)) {
                troubled();
                return;
            }
            long back = world.network.delay(random);
            if (back > LATE) {
                troubled();
            }
            time.after(back, () -> reply.accept(given, thrown));
        });
    }

    // -- notifications

    private AutoCloseable signals(Consumer<Notification> to) {
        subscriptions.put(to, () -> {});
        subscribe(to);
        return () -> close(subscriptions.remove(to));
    }

    private void resubscribe() {
        List.copyOf(subscriptions.keySet()).forEach(this::subscribe);
    }

    private void subscribe(Consumer<Notification> to) {
        close(subscriptions.get(to));
        Consumer<Notification> late = notification -> {
            if (!world.network.loses(random)) {
                time.after(
                        world.network.delay(random),
                        () -> run(() -> {
                            if (subscriptions.containsKey(to)) {
                                to.accept(notification);
                            }
                        }));
            }
        };
        AutoCloseable source = member.isIn(FailoverPhase.PRIMARY)
                ? node.subscribe(late)
                : member.isIn(FailoverPhase.FALLBACK) ? world.authority.subscribe(late) : () -> {};
        subscriptions.put(to, source);
        late.accept(Notification.ANY);
    }

    private static void close(AutoCloseable subscription) {
        try {
            subscription.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
