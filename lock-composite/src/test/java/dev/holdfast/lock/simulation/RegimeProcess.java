package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.composite.regime.Duty;
import dev.holdfast.lock.composite.regime.Events;
import dev.holdfast.lock.composite.regime.Lane;
import dev.holdfast.lock.composite.regime.Member;
import dev.holdfast.lock.composite.regime.Members;
import dev.holdfast.lock.composite.regime.Route;
import dev.holdfast.lock.internal.Engine;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.internal.Outside;
import dev.holdfast.lock.internal.Reply;
import dev.holdfast.lock.internal.Request;
import dev.holdfast.lock.internal.StoreCalls;
import dev.holdfast.lock.internal.Tenure;
import dev.holdfast.lock.internal.Timers;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One process of a composite: an engine, and a member that routes its steps and does its duties, over a faulty network. */
final class RegimeProcess extends Machine {

    private static final Duration SHORTEST_CALL = Duration.ofMillis(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofNanos(1);
    private static final long LATE = 20_000_000;
    private static final long THREADS_WAKE_UP = 5_000_000;
    private static final int PUMPS_PER_INSTANT = 100;

    private final RegimeWorld world;
    private final Member member;
    private final Engine engine;
    private final Set<Lane> busy = EnumSet.noneOf(Lane.class);
    private final Map<Lane, Timers.Timer> wakeUps = new EnumMap<>(Lane.class);
    /** When each id was asked for first. */
    private final Map<AcquisitionId, Long> asked = new HashMap<>();

    private final Map<Consumer<Signal>, AutoCloseable> subscriptions = new HashMap<>();

    /** What is to be asked again under another regime. */
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

    RegimeProcess(RegimeWorld world, RedisNode node) {
        super(world.time, world.random);
        this.world = world;
        this.node = node;
        this.member = newMember();
        Tenure tenure = new Tenure() {
            @Override
            public Moment end(LockName name, AcquisitionId id, Moment deadline) {
                return member.end(name, id, deadline, now());
            }

            @Override
            public boolean isSettled(LockName name, AcquisitionId id) {
                return member.isSettled(name, id, now());
            }
        };
        Outside outside = new Outside(
                this::now, this::after, this::call, tenure, this::signals, this::soon, this::soon, random::nextLong);
        this.engine = new Engine(outside, "simulated", Set.of(Capability.values()), world.handoff, 0);
        pump();
    }

    private Member newMember() {
        AcquisitionId id = new AcquisitionId(random.nextLong(), random.nextLong());
        Events events = new Events() {
            @Override
            public void happened(RegimeEvent event) {}

            @Override
            public void changed(Mode mode) {
                soon(RegimeProcess.this::resubscribe);
            }

            @Override
            public void sooner() {
                soon(() -> engine.tickAll());
            }
        };
        return switch (world.mutant) {
            case SHORT_DRAIN -> Members.impatient(id, world.timing, events);
            case EVERY_GRANT_COUNTS -> Members.credulous(id, world.timing, events);
            case HOLDS_GO_ON_BY_THEMSELVES -> Members.selfAssured(id, world.timing, events);
            case KEEPS_NO_MINIMUM_HOLD -> Members.hasty(id, world.timing, events);
            case KEEPS_AS_LONG_AS_IT_KNOWS -> Members.forgetful(id, world.timing, events);
            case CARRIES_NOTHING -> Members.careless(id, world.timing, events);
            default -> Members.sound(id, world.timing, events);
        };
    }

    Engine engine() {
        return engine;
    }

    /** How many leases and ids its member knows. */
    int known() {
        return Members.known(member);
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
     * It is this process's trouble if the primary in power is not there for it, and for others it is, or they cannot tell: then
     * they do not depose it within the time on which the shortest lease relies.
     */
    private void noteWhetherStranded(Answer answer, long since) {
        if (!(answer instanceof Answer.Unavailable)
                || strandedIn != world.authority.regime().epoch()) {
            strandedIn = world.authority.regime().epoch();
            strandedSince = answer instanceof Answer.Unavailable ? since : time.now();
        }
        if (time.now() - strandedSince > world.timing.deposition().toNanos()) {
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

    // -- steps

    private void call(StoreCalls.Lane lane, List<Request> requests) {
        requests.forEach(this::call);
    }

    private void call(Request request) {
        Moment sent = now();
        asked.putIfAbsent(request.step().id(), time.now());
        attempt(request, sent, sent.plus(request.timeout()));
    }

    /** What is refused because another regime has come is asked again under that one, while there is time. */
    private void attempt(Request request, Moment sent, Moment deadline) {
        long regime = member.changes();
        ask(request.step(), left(deadline), answer -> {
            boolean isRefused =
                    answer instanceof Answer.Unavailable unavailable && unavailable.why() instanceof DeposedException;
            if (isRefused && member.changes() != regime) {
                soon(() -> attempt(request, sent, deadline));
            } else if (isRefused && deadline.isAfter(now())) {
                Runnable again = () -> attempt(request, sent, deadline);
                waiting.add(again);
                after(left(deadline), () -> {
                    if (waiting.remove(again)) {
                        reply(request, sent, answer);
                    }
                });
            } else {
                reply(request, sent, answer);
            }
        });
    }

    private Duration left(Moment deadline) {
        Duration left = now().until(deadline);
        return left.compareTo(SHORTEST_CALL) < 0 ? SHORTEST_CALL : left;
    }

    private void ask(Step step, Duration timeout, Consumer<Answer> to) {
        Route route = member.route(step, now());
        if (member.isUrgent()) {
            soon(this::pump);
        }
        if (route instanceof Route.Answered answered) {
            soon(() -> to.accept(answered.answer()));
            return;
        }
        Moment sent = now();
        long askedAt = time.now();
        BiConsumer<List<Answer>, RuntimeException> settle = (answers, failure) -> {
            Answer answer = answers == null ? new Answer.Unavailable(failure) : answers.get(0);
            if (route instanceof Route.ToPrimary) {
                noteWhetherStranded(answer, askedAt);
            }
            Answer settled = member.settle(step, route, answer, sent, now());
            if (settled instanceof Answer.Granted granted && step instanceof Step.Acquire) {
                world.watch.granted(step.name(), step.id(), granted.token(), asked.get(step.id()));
            }
            to.accept(settled);
            if (member.isUrgent()) {
                pump();
            }
        };
        if (route instanceof Route.ToPrimary there) {
            RedisNode server = node;
            toPrimary(server, timeout, true, () -> server.apply(there.reign(), List.of(there.step()), timeout), settle);
            if (step instanceof Step.Acquire) {
                whenAcquiring.run();
                whenAcquiring = () -> {};
            }
        } else if (route instanceof Route.ToAuthority there) {
            toAuthority(
                    timeout, true, () -> world.authority.apply(there.epoch(), List.of(there.step()), timeout), settle);
        }
    }

    private void reply(Request request, Moment sent, Answer answer) {
        if (answer instanceof Answer.Released released && request.step() instanceof Step.Release release) {
            world.watch.over(release.name(), release.id(), released.wasHeld());
        }
        request.to().accept(new Reply(sent, answer));
    }

    // -- duties

    private void pump() {
        for (Lane lane : Lane.values()) {
            pump(lane);
        }
    }

    private void pump(Lane lane) {
        if (busy.contains(lane)) {
            return;
        }
        world.watch.checker().that(!spins(), "spin: %s has something to do again and again", lane);
        Timers.Timer timer = wakeUps.remove(lane);
        if (timer != null) {
            timer.cancel();
        }
        Moment now = now();
        Duty<?> duty = member.next(lane, now);
        if (duty == null) {
            Duration idle = member.idle(lane, now);
            wakeUps.put(
                    lane,
                    after(idle.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : idle, () -> run(() -> pump(lane))));
        } else {
            carryOut(lane, duty);
        }
    }

    /** Another regime is known than this one, perhaps. */
    private void askAgain(long regime) {
        if (member.changes() != regime) {
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

    private <T> void carryOut(Lane lane, Duty<T> duty) {
        busy.add(lane);
        Moment sent = now();
        RedisNode server = node;
        Duration timeout = world.timing.reading();
        Supplier<T> question = () -> duty.question().ask(server, world.authority, timeout);
        BiConsumer<T, RuntimeException> conclude = (answer, failure) -> {
            long regime = member.changes();
            boolean isLax = lane == Lane.AUTHORITY && world.mutant == RegimeMutant.GOES_ON_WITHOUT_THE_AUTHORITY;
            duty.conclusion()
                    .draw(
                            answer,
                            failure,
                            isLax ? now().plus(world.timing.lease().multipliedBy(3)) : sent,
                            now());
            busy.remove(lane);
            askAgain(regime);
            pump();
        };
        if (lane == Lane.PRIMARY) {
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
        // A server that is silent towards everybody is not this process's trouble.
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

    /** What has arrived is read once the process runs; which thread is the first to go on, nobody knows. */
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

    // -- signals

    private AutoCloseable signals(Consumer<Signal> to) {
        subscriptions.put(to, () -> {});
        subscribe(to);
        return () -> close(subscriptions.remove(to));
    }

    private void resubscribe() {
        List.copyOf(subscriptions.keySet()).forEach(this::subscribe);
    }

    private void subscribe(Consumer<Signal> to) {
        close(subscriptions.get(to));
        Consumer<Signal> late = signal -> {
            if (!world.network.loses(random)) {
                time.after(
                        world.network.delay(random),
                        () -> run(() -> {
                            if (subscriptions.containsKey(to)) {
                                to.accept(signal);
                            }
                        }));
            }
        };
        AutoCloseable source = member.knows(Mode.PRIMARY)
                ? node.signals(late)
                : member.knows(Mode.FALLBACK) ? world.authority.signals(late) : () -> {};
        subscriptions.put(to, source);
        late.accept(Signal.ANY);
    }

    private static void close(AutoCloseable subscription) {
        try {
            subscription.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
