package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.AcquireCallback;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import java.util.function.Consumer;

/** Who asks: with a thread that waits, and is lent meanwhile, where it carries out calls of its own; else without one. */
final class SimulatedAsker implements AcquireCallback {

    private static final int LATEST_NANOS = 2_000_000;

    private final Machine machine;
    private final Lane lane;
    private final Consumer<AcquireResult> to;
    private boolean busy;

    SimulatedAsker(Machine machine, Lane lane, Consumer<AcquireResult> to) {
        this.machine = machine;
        this.lane = lane;
        this.to = to;
    }

    @Override
    public void completed(AcquireResult outcome) {
        to.accept(outcome);
    }

    /** The thread runs when it is given a processor, and possibly after it has got its outcome. */
    @Override
    public boolean runOnWaitingThread(Runnable task) {
        if (lane != Lane.CALLER || busy) {
            return false;
        }
        busy = true;
        machine.time.after(
                machine.random.nextInt(LATEST_NANOS),
                () -> machine.run(() -> {
                    busy = false;
                    task.run();
                }));
        return true;
    }
}
