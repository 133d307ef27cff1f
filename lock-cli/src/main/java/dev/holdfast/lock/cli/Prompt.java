package dev.holdfast.lock.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Set;

/** Asks the operator. */
interface Prompt {

    /** Whether there is a terminal to ask at. */
    boolean isInteractive() throws IOException, InterruptedException;

    /**
     * Asks, and waits for the answer.
     *
     * @return whether the answer is yes; any other answer, or the end of the input, is no
     */
    boolean confirm(String question) throws IOException;

    /**
     * Asks on standard error, as standard output is for data, and reads standard input.
     *
     * @param questions standard error
     * @param answers standard input
     */
    record OnTerminal(PrintStream questions, InputStream answers) implements Prompt {

        private static final Set<String> YES = Set.of("y", "yes");

        /** {@code System.console()} requires a terminal at standard output too, and since JDK 22 exists without any. */
        @Override
        public boolean isInteractive() throws IOException, InterruptedException {
            return new ProcessBuilder("/bin/sh", "-c", "[ -t 0 ] && [ -t 2 ]")
                            .inheritIO()
                            .start()
                            .waitFor()
                    == 0;
        }

        @Override
        public boolean confirm(String question) throws IOException {
            questions.print(question + " [y/N] ");
            questions.flush();
            String answer = new BufferedReader(new InputStreamReader(answers, Charset.defaultCharset())).readLine();
            return answer != null && YES.contains(answer.strip().toLowerCase(Locale.ROOT));
        }
    }
}
