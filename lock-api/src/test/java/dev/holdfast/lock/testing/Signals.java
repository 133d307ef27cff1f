package dev.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Signals to processes, such as STOP and CONT. */
public final class Signals {

    private Signals() {}

    /** Sends the signal, unless the process has ended. */
    public static void send(String signal, ProcessHandle process) {
        send(signal, List.of(process));
    }

    /**
     * Sends the signal to those that have not ended.
     *
     * @throws AssertionError if it cannot be sent
     */
    public static void send(String signal, Collection<ProcessHandle> processes) {
        if (processes.isEmpty()) {
            return;
        }
        String command = processes.stream()
                .map(each -> Long.toString(each.pid()))
                .collect(Collectors.joining(" ", "kill -s " + signal + " ", ""));
        try {
            Process kill = new ProcessBuilder("/bin/sh", "-c", command)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (kill.waitFor() != 0 && processes.stream().allMatch(ProcessHandle::isAlive)) {
                throw new AssertionError(command + " failed: " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
