package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.AcquireCallback;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import java.util.function.Consumer;

/** A caller of acquire. On the caller lane it has a waiting thread that it lends; on other lanes it has none. */
final class SimulatedCaller implements AcquireCallback {

    private static final int LATEST_NANOS = 2_000_000;

    private final Machine machine;
    private final Lane lane;
    private final Consumer<AcquireResult> callback;
    private boolean busy;

    SimulatedCaller(Machine machine, Lane lane, Consumer<AcquireResult> callback) {
        this.machine = machine;
        this.lane = lane;
        this.callback = callback;
    }

    @Override
    public void completed(AcquireResult outcome) {
        callback.accept(outcome);
    }

    /** The task runs when the thread gets a processor, possibly after the outcome. */
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
