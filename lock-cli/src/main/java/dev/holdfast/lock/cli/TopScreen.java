package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.cli.output.EscapedText;
import dev.holdfast.lock.cli.terminal.Terminal;
import dev.holdfast.lock.cli.top.Renewals;
import dev.holdfast.lock.cli.top.Snapshot;
import dev.holdfast.lock.cli.top.TopOrder;
import dev.holdfast.lock.cli.top.TopPage;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/** {@code lock top} in a terminal: its thread waits for keys and snapshots, and another one reads the store. */
final class TopScreen {

    /** What this thread waits for. */
    private sealed interface Event {
        /** A key; -1 is the end of the input. */
        record Key(int key) implements Event {}

        /** The screen has to be shown again. */
        record Redraw() implements Event {}

        /** The locks have been read. */
        record Read(Snapshot snapshot) implements Event {}

        /** They could not be read. */
        record Failed(RuntimeException failure) implements Event {}
    }

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final Renewals renewals = new Renewals();
    private final Supplier<Snapshot> store;
    private final Duration every;
    private TopPage.Subject subject;
    private TopOrder order;
    /** Why the locks shown are out of date; empty if they are not. */
    private String trouble = "";

    /**
     * @param store reads the locks
     * @param every the time between two readings
     */
    TopScreen(Supplier<Snapshot> store, Duration every, TopPage.Subject subject, TopOrder order) {
        this.store = store;
        this.every = every;
        this.subject = subject;
        this.order = order;
    }

    /** Shows the locks until a key ends it. Returns false, and does nothing, if there is no terminal. */
    boolean show(Console.Screen screen, Snapshot first) throws IOException, InterruptedException {
        Optional<Terminal> opened =
                screen.open(key -> events.add(new Event.Key(key)), () -> events.add(new Event.Redraw()));
        if (opened.isEmpty()) {
            return false;
        }
        // A daemon, which ends with this process, whatever call it is in.
        Thread reader = DaemonThreadFactory.unstarted("lock top", this::read);
        try (Terminal terminal = opened.get()) {
            reader.start();
            show(terminal, first);
        } finally {
            reader.interrupt();
        }
        return true;
    }

    private void read() {
        try {
            while (true) {
                Thread.sleep(every.toMillis());
                try {
                    events.add(new Event.Read(store.get()));
                } catch (RuntimeException e) {
                    events.add(new Event.Failed(e));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void show(Terminal terminal, Snapshot first) throws IOException, InterruptedException {
        Snapshot shown = first;
        renewals.observe(first);
        while (true) {
            TopPage page = new TopPage(shown, renewals, ZoneId.systemDefault());
            terminal.show(page.screen(subject, order, terminal.columns(), terminal.rows(), trouble));
            Event event = events.take();
            if (event instanceof Event.Read read) {
                shown = read.snapshot();
                renewals.observe(shown);
                trouble = "";
            } else if (event instanceof Event.Failed failed) {
                trouble = describe(failed.failure());
            } else if (event instanceof Event.Key key && !isContinued(key.key())) {
                return;
            }
        }
    }

    /** Shows failures that the store explains; any other is a defect, and ends the screen. */
    private static String describe(RuntimeException failure) {
        if (failure instanceof LockException) {
            return EscapedText.ofMessage("not read: " + failure.getMessage());
        }
        throw failure;
    }

    /** Handles a key, and returns whether to go on. */
    private boolean isContinued(int key) {
        if (key == 'q' || key == 'Q' || key < 0) {
            return false;
        } else if (key == 'b') {
            subject = subject == TopPage.Subject.LOCKS ? TopPage.Subject.BLOCKED : TopPage.Subject.LOCKS;
        }
        for (TopOrder each : TopOrder.values()) {
            if (each.key() == key) {
                order = each;
            }
        }
        return true;
    }
}
