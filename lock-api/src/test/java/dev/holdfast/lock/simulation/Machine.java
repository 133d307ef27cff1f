package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.Random;

/** The machine of a process: clocks with their own rate, and timers that stand still while the machine is stopped. */
class Machine {

    final VirtualTime time;
    final Random random;
    /** The rate of the clocks, within the drift that the engine allows for. */
    private final double rate;

    private boolean dead;
    private long stoppedUntil;
    private long nanosLost;

    Machine(VirtualTime time, Random random) {
        this(time, random, 1 + (random.nextDouble() - 0.5) / 1000);
    }

    Machine(VirtualTime time, Random random, double rate) {
        this.time = time;
        this.random = random;
        this.rate = rate;
    }

    void die() {
        dead = true;
    }

    boolean isDead() {
        return dead;
    }

    /**
     * Stops the machine for this long.
     *
     * @param suspended whether the monotonic clock stands still as well, as when a laptop sleeps
     */
    void stop(long nanos, boolean suspended) {
        stoppedUntil = Math.max(stoppedUntil, time.now() + nanos);
        nanosLost += suspended ? nanos : 0;
    }

    boolean isStopped() {
        return time.now() < stoppedUntil;
    }

    /** Runs the task on a thread of this process, as soon as the process runs. */
    void run(Runnable task) {
        if (dead) {
            return;
        }
        if (isStopped()) {
            time.after(stoppedUntil - time.now(), () -> run(task));
        } else {
            task.run();
        }
    }

    void soon(Runnable task) {
        time.after(0, () -> run(task));
    }

    DualClockInstant now() {
        long local = (long) (time.now() * rate);
        return new DualClockInstant(local - nanosLost, VirtualTime.WALL_START_NANOS + local);
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

    /** Timers follow the monotonic clock: they are late by the time that it lost. */
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
}
