package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.EngineContext;
import dev.holdfast.lock.internal.state.TurnLimits;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Consumer;
import org.slf4j.helpers.NOPLogger;

/** One process: an engine on a machine of its own, and a faulty network between it and the store. */
class SimulatedProcess extends Machine {

    /** Until a thread runs that sends what its caller did not. */
    private static final int LATEST_NANOS = 200_000;

    private final SimulatedStore store;
    private final Network network;
    private final Engine engine;
    /** For how long the commands of the present call are on the way. */
    private long onTheWay;

    SimulatedProcess(VirtualTime time, SimulatedStore store, Network network, Random random) {
        super(time, random);
        this.store = store;
        this.network = network;
        this.engine = newEngine();
    }

    SimulatedProcess(VirtualTime time, SimulatedStore store, Network network, Random random, double rate) {
        super(time, random, rate);
        this.store = store;
        this.network = network;
        this.engine = newEngine();
    }

    private Engine newEngine() {
        EngineContext outside = new EngineContext(
                this::now,
                this::after,
                this::callAll,
                GrantValidity.UNLIMITED,
                this::subscribe,
                this::soon,
                this::soon,
                random::nextLong,
                NOPLogger.NOP_LOGGER);
        return new Engine(
                outside,
                "simulated",
                "the simulated store",
                store.abilities(),
                TurnLimits.on(Duration.ZERO, OptionalInt.of(store.handoff())),
                0);
    }

    Engine engine() {
        return engine;
    }

    private void callAll(StoreExecutor.Lane lane, List<StoreRequest> requests) {
        if (lane == StoreExecutor.Lane.CALLER) {
            callOnThisThread(lane, requests);
        } else {
            time.after(random.nextInt(LATEST_NANOS), () -> run(() -> callOnThisThread(lane, requests)));
        }
    }

    /** The commands of one call arrive together, without those that were taken back. */
    private void callOnThisThread(StoreExecutor.Lane lane, List<StoreRequest> requests) {
        onTheWay = network.delay(random);
        for (StoreRequest request : requests) {
            if (request.take()) {
                call(lane, request.command(), request.timeout(), request.callback());
            }
        }
    }

    /** Notifications arrive late, or not at all. */
    private AutoCloseable subscribe(Consumer<Notification> listener) {
        boolean[] ended = new boolean[1];
        AutoCloseable subscription = store.subscribe(notification -> {
            if (!network.loses(random)) {
                time.after(
                        network.delay(random),
                        () -> run(() -> {
                            if (!ended[0]) {
                                listener.accept(notification);
                            }
                        }));
            }
        });
        return () -> {
            ended[0] = true;
            subscription.close();
        };
    }

    void call(StoreExecutor.Lane lane, LockCommand command, Duration timeout, Consumer<StoreReply> callback) {
        DualClockInstant sent = now();
        boolean[] replied = new boolean[1];
        Consumer<LockReply> recipient = reply -> run(() -> {
            if (!replied[0]) {
                replied[0] = true;
                callback.accept(new StoreReply(sent, reply));
            }
        });
        after(timeout, () -> recipient.accept(unavailable("timeout")));
        deliver(command, onTheWay, recipient);
        if (network.repeats(random)) {
            deliver(command, network.lateDelay(random), recipient);
        }
    }

    private void deliver(LockCommand command, long delay, Consumer<LockReply> recipient) {
        if (network.loses(random)) {
            return;
        }
        time.after(delay, () -> {
            if (store.isDown()) {
                if (network.refuses(random)) {
                    recipient.accept(unavailable("refused"));
                }
                return;
            }
            LockReply reply = store.carryOut(command);
            if (!network.loses(random)) {
                time.after(network.delay(random), () -> recipient.accept(reply));
            }
        });
    }

    private static LockReply unavailable(String message) {
        return new LockReply.Unavailable(new IllegalStateException(message));
    }
}
