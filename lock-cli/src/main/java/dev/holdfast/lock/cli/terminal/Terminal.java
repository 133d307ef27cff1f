package dev.holdfast.lock.cli.terminal;

import dev.holdfast.lock.cli.process.UnixSignal;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A terminal that shows one screen after another and passes keys on at once. It is as it was before once this is closed, or this
 * process ends in any way but SIGKILL.
 *
 * <p>Thread-safe.
 */
public final class Terminal implements AutoCloseable {

    private static final String ESC = "\u001B[";
    /** The alternate screen, without the cursor, and without continuing long lines on the next one. */
    private static final String ENTER = ESC + "?1049h" + ESC + "?25l" + ESC + "?7l";

    private static final String LEAVE = ESC + "?7h" + ESC + "?25h" + ESC + "?1049l";
    private static final String HOME = ESC + "H";
    private static final String ERASE_LINE = ESC + "K";

    /** How long the end of this process waits for a screen that is being written, as to a terminal that was stopped. */
    private static final long CLOSE_SECONDS = 1;

    private final Writer out;
    private final String settingsBefore;
    private final ReentrantLock screen = new ReentrantLock();
    private volatile boolean closed;
    private volatile Stty.@Nullable Size size;

    private Terminal(Writer out, String settingsBefore) {
        this.out = out;
        this.settingsBefore = settingsBefore;
    }

    /**
     * Takes over the terminal of this process.
     *
     * @param out standard output
     * @param in standard input
     * @param keys takes each key, or -1 at the end of the input; on a thread of its own
     * @param redraw called when the screen has to be shown again: its size has changed, or this process continues after a stop;
     *     on a thread of its own
     * @return empty if standard input or output is no terminal, or one that shows text only
     */
    public static Optional<Terminal> open(Writer out, InputStream in, IntConsumer keys, Runnable redraw)
            throws IOException, InterruptedException {
        if (!Stty.isTerminal()) {
            return Optional.empty();
        }
        Terminal terminal = new Terminal(out, Stty.settings());
        Runtime.getRuntime().addShutdownHook(DaemonThreadFactory.unstarted("restore terminal", terminal::close));
        UnixSignal.listen(Set.of(UnixSignal.WINCH, UnixSignal.CONT), signal -> terminal.changed(signal, redraw));
        terminal.enter();
        DaemonThreadFactory.unstarted("keys", () -> read(in, keys)).start();
        return Optional.of(terminal);
    }

    /** Keys arrive one by one and are not shown. Ctrl-C remains a signal; Ctrl-Z would leave the shell with this screen. */
    private void enter() throws IOException, InterruptedException {
        Stty.set("-icanon", "-echo", "min", "1", "time", "0", "susp", "undef");
        write(ENTER);
    }

    private void changed(UnixSignal signal, Runnable redraw) {
        size = null;
        try {
            if (signal == UnixSignal.CONT && !closed) {
                enter();
            }
        } catch (IOException | InterruptedException e) {
            // The shell has the terminal, as this process continues in the background.
            return;
        }
        redraw.run();
    }

    private static void read(InputStream in, IntConsumer keys) {
        int key;
        do {
            try {
                key = in.read();
            } catch (IOException e) {
                key = -1; // the terminal is gone
            }
            keys.accept(key);
        } while (key >= 0);
    }

    /** The number of columns. */
    public int columns() throws IOException, InterruptedException {
        return size().columns();
    }

    /** The number of rows. */
    public int rows() throws IOException, InterruptedException {
        return size().rows();
    }

    private Stty.Size size() throws IOException, InterruptedException {
        Stty.Size known = size;
        if (known == null) {
            known = Stty.size();
            size = known;
        }
        return known;
    }

    /** Shows these lines, one for each row. Does nothing once this is closed. */
    public void show(List<String> lines) throws IOException {
        StringBuilder text = new StringBuilder(HOME);
        for (int i = 0; i < lines.size(); i++) {
            // Erased before it is written: at the end of a full line the cursor stands on the last character.
            text.append(i == 0 ? "" : "\n").append(ERASE_LINE).append(lines.get(i));
        }
        write(text.toString());
    }

    private void write(String text) throws IOException {
        screen.lock();
        try {
            if (!closed) {
                out.write(text);
                out.flush();
            }
        } finally {
            screen.unlock();
        }
    }

    /** Restores the terminal. A second call does nothing. */
    @Override
    public void close() {
        boolean locked = false;
        try {
            locked = screen.tryLock(CLOSE_SECONDS, TimeUnit.SECONDS);
            if (closed) {
                return;
            }
            closed = true;
            out.write(LEAVE);
            out.flush();
            Stty.set(settingsBefore);
        } catch (IOException e) {
            // The terminal is gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (locked) {
                screen.unlock();
            }
        }
    }
}
