package dev.holdfast.lock.bench.demo;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.admin.RegimeStatus;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Asks the composite's authority who grants, again and again, and tells of each change. */
final class RegimeWatch implements AutoCloseable {

    /** What a regime says while nobody grants. */
    static final String NOBODY = "nobody";

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final LockAdmin admin;
    private final Story story;
    private final Thread thread = new Thread(this::watch, "watches who grants");
    private volatile boolean closed;

    RegimeWatch(Path configuration, Story story) {
        this.admin = LockAdmin.of(configuration);
        this.story = story;
    }

    void start() {
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((itself, e) -> story.fails(e.toString()));
        thread.start();
    }

    private void watch() {
        String known = "";
        while (!closed) {
            try {
                RegimeStatus regime = admin.regime().orElseThrow();
                if (!regime.grants().equals(known)) {
                    known = regime.grants();
                    story.reigns(known, regime.epoch(), regime.cause());
                }
            } catch (LockUnavailableException e) {
                // then the next answer tells
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        admin.close();
    }
}
