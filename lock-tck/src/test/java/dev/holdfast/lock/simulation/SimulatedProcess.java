package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.Engine;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.internal.Outside;
import dev.holdfast.lock.internal.Reply;
import dev.holdfast.lock.internal.Request;
import dev.holdfast.lock.internal.StoreCalls;
import dev.holdfast.lock.internal.Tenure;
import dev.holdfast.lock.internal.Timers;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** One process: an engine with a clock of its own rate, timers that stand still while it is stopped, and a faulty network. */
class SimulatedProcess {

    private static final long MILLI = 1_000_000;

    private final VirtualTime time;
    private final SimulatedStore store;
    private final Network network;
    private final Random random;
    /** How fast its clocks run: within the slack that the engine allows for. */
    private final double rate;

    private final Engine engine;
    private boolean dead;
    private long stoppedUntil;
    private long nanosLost;

    SimulatedProcess(VirtualTime time, SimulatedStore store, Network network, Random random) {
        this(time, store, network, random, 1 + (random.nextDouble() - 0.5) / 1250);
    }

    SimulatedProcess(VirtualTime time, SimulatedStore store, Network network, Random random, double rate) {
        this.time = time;
        this.store = store;
        this.network = network;
        this.random = random;
        this.rate = rate;
        Outside outside = new Outside(
                this::now,
                this::after,
                this::callAll,
                Tenure.UNLIMITED,
                this::signals,
                this::soon,
                this::soon,
                random::nextLong);
        engine = new Engine(outside, "simulated", store.abilities(), store.handoff(), 0);
    }

    Engine engine() {
        return engine;
    }

    void die() {
        dead = true;
    }

    boolean isDead() {
        return dead;
    }

    /**
     * Nothing happens here for so long.
     *
     * @param suspended whether the monotonic clock stands still as well, as when a laptop sleeps
     */
    void stop(long nanos, boolean suspended) {
        stoppedUntil = Math.max(stoppedUntil, time.now() + nanos);
        nanosLost += suspended ? nanos : 0;
    }

    /** On a thread of this process, as soon as it runs. */
    void run(Runnable task) {
        if (dead) {
            return;
        }
        if (time.now() < stoppedUntil) {
            time.after(stoppedUntil - time.now(), () -> run(task));
        } else {
            task.run();
        }
    }

    private void soon(Runnable task) {
        time.after(0, () -> run(task));
    }

    Moment now() {
        long local = (long) (time.now() * rate);
        return new Moment(local - nanosLost, 1_767_000_000_000L + local / MILLI);
    }

    Timers.Timer after(Duration delay, Runnable task) {
        boolean[] cancelled = new boolean[1];
        schedule((long) Math.ceil(delay.toNanos() / rate), nanosLost, () -> {
            if (!cancelled[0]) {
                task.run();
            }
        });
        return () -> cancelled[0] = true;
    }

    /** Timers go by the monotonic clock: what it lost since, they are late. */
    private void schedule(long delay, long lostBefore, Runnable task) {
        time.after(
                delay,
                () -> run(() -> {
                    if (nanosLost > lostBefore) {
                        schedule(nanosLost - lostBefore, nanosLost, task);
                    } else {
                        task.run();
                    }
                }));
    }

    private void callAll(StoreCalls.Lane lane, List<Request> requests) {
        requests.forEach(request -> call(lane, request.step(), request.timeout(), request.to()));
    }

    /** Signals come late, or not at all; after a gap the store says so, once it can. */
    private AutoCloseable signals(Consumer<Signal> to) {
        boolean[] ended = new boolean[1];
        AutoCloseable subscription = store.signals(signal -> {
            if (!network.loses(random)) {
                time.after(
                        network.delay(random),
                        () -> run(() -> {
                            if (!ended[0]) {
                                to.accept(signal);
                            }
                        }));
            }
        });
        return () -> {
            ended[0] = true;
            subscription.close();
        };
    }

    void call(StoreCalls.Lane lane, Step step, Duration timeout, Consumer<Reply> to) {
        Moment sent = now();
        boolean[] replied = new boolean[1];
        Consumer<Answer> reply = answer -> run(() -> {
            if (!replied[0]) {
                replied[0] = true;
                to.accept(new Reply(sent, answer));
            }
        });
        after(timeout, () -> reply.accept(unavailable("timeout")));
        deliver(step, network.delay(random), reply);
        if (network.repeats(random)) {
            deliver(step, network.lateDelay(random), reply);
        }
    }

    private void deliver(Step step, long delay, Consumer<Answer> reply) {
        if (network.loses(random)) {
            return;
        }
        time.after(delay, () -> {
            if (store.isDown()) {
                if (network.refuses(random)) {
                    reply.accept(unavailable("refused"));
                }
                return;
            }
            Answer answer = store.carryOut(step);
            if (!network.loses(random)) {
                time.after(network.delay(random), () -> reply.accept(answer));
            }
        });
    }

    private static Answer unavailable(String why) {
        return new Answer.Unavailable(new IllegalStateException(why), Duration.ofMillis(50));
    }
}
