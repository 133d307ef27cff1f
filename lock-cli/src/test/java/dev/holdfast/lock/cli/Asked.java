package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** What {@code lock} answers within this process, and what it says meanwhile. */
final class Asked {

    private final StringWriter data = new StringWriter();
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final List<String> questions = new ArrayList<>();
    private final int status;

    private Asked(Optional<Callable<Boolean>> answer, String[] arguments) {
        Messages messages = new Messages(new PrintStream(said, true, UTF_8));
        status = Main.status(arguments, new Dialogue(data, messages, new Scripted(answer)));
    }

    /** Nobody is at a terminal. */
    static Asked alone(String... arguments) {
        return new Asked(Optional.empty(), arguments);
    }

    /** Somebody is, and does this when asked. */
    static Asked with(Callable<Boolean> answer, String... arguments) {
        return new Asked(Optional.of(answer), arguments);
    }

    int status() {
        return status;
    }

    String data() {
        return data.toString();
    }

    String said() {
        return said.toString(UTF_8);
    }

    List<String> questions() {
        return questions;
    }

    private final class Scripted implements Person {
        private final Optional<Callable<Boolean>> answer;

        Scripted(Optional<Callable<Boolean>> answer) {
            this.answer = answer;
        }

        @Override
        public boolean isThere() {
            return answer.isPresent();
        }

        @Override
        public boolean agrees(String question) throws IOException {
            questions.add(question);
            try {
                return answer.orElseThrow().call();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }
}
