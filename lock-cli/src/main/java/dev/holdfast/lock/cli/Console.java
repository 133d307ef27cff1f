package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.cli.output.Messages;
import dev.holdfast.lock.cli.process.SignalRouter;
import dev.holdfast.lock.cli.terminal.Terminal;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The surroundings of a subcommand: its streams, the operator, and the signals.
 *
 * @param data standard output, for the requested data only
 * @param messages standard error
 * @param prompt asks the operator
 * @param screen takes over the terminal, if there is one
 * @param signals starts routing this process's signals, to the calling thread first
 */
record Console(Writer data, Messages messages, Prompt prompt, Screen screen, Supplier<SignalRouter> signals) {

    /** Opens the terminal for an interactive subcommand. */
    @FunctionalInterface
    interface Screen {
        /** As {@link Terminal#open}. */
        Optional<Terminal> open(IntConsumer keys, Runnable redraw) throws IOException, InterruptedException;
    }

    /** The console of this process. Data is UTF-8 in every locale, as JSON requires. */
    static Console ofThisProcess() {
        // Not System.out, which does not report a full disk.
        Writer data = new BufferedWriter(new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), UTF_8));
        return new Console(
                data,
                new Messages(System.err),
                new Prompt.OnTerminal(System.err, System.in),
                (keys, redraw) -> Terminal.open(data, System.in, keys, redraw),
                SignalRouter::forCurrentThread);
    }
}
