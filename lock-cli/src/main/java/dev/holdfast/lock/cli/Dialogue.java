package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.function.Supplier;

/**
 * Where answers go and questions come from.
 *
 * @param data standard output: what was asked for, and nothing else
 * @param messages standard error: what there is to say about it
 * @param person who can be asked back
 * @param stop takes the signals that come from now on to the thread that calls this
 */
record Dialogue(Writer data, Messages messages, Person person, Supplier<Stop> stop) {

    /** By the streams of this process. Data is UTF-8 in every locale, as JSON has to be. */
    static Dialogue ofThisProcess() {
        // Not System.out, which keeps silent about a full disk.
        Writer data = new BufferedWriter(new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), UTF_8));
        return new Dialogue(
                data, new Messages(System.err), new TerminalPerson(System.err, System.in), Stop::ofThisThread);
    }
}
