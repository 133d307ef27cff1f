package dev.holdfast.lock.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Set;

/** Is asked on standard error, as standard output is for data, and answers on standard input. */
final class TerminalPerson implements Person {

    private static final Set<String> YES = Set.of("y", "yes");

    private final PrintStream asked;
    private final InputStream answers;

    TerminalPerson(PrintStream asked, InputStream answers) {
        this.asked = asked;
        this.answers = answers;
    }

    /** Java's own console would need standard output as well, and since JDK 22 is there without any terminal. */
    @Override
    public boolean isThere() throws IOException, InterruptedException {
        return new ProcessBuilder("/bin/sh", "-c", "[ -t 0 ] && [ -t 2 ]")
                        .inheritIO()
                        .start()
                        .waitFor()
                == 0;
    }

    @Override
    public boolean agrees(String question) throws IOException {
        asked.print(question + " [y/N] ");
        asked.flush();
        String answer = new BufferedReader(new InputStreamReader(answers, Charset.defaultCharset())).readLine();
        return answer != null && YES.contains(answer.strip().toLowerCase(Locale.ROOT));
    }
}
