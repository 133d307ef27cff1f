package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** What {@code lock} answers within this process, and what it says meanwhile. It listens to no signals. */
final class Asked {

    static {
        loadDriver();
    }

    private final StringWriter data = new StringWriter();
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final List<String> questions = new ArrayList<>();
    private final int status;

    private Asked(Optional<Callable<Boolean>> answer, String[] arguments) {
        Messages messages = new Messages(new PrintStream(said, true, UTF_8));
        Person person = new Scripted(answer);
        status = Main.status(arguments, new Dialogue(data, messages, person, () -> new Stop(Thread.currentThread())));
    }

    /**
     * A run unpacks the driver in a folder that it tells it by a system property, and runs beside each other would take each
     * other's. What is loaded already is unpacked nowhere, and where there is no folder none is made.
     */
    private static void loadDriver() {
        try {
            DriverManager.getConnection("jdbc:sqlite::memory:").close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        System.setProperty("org.sqlite.tmpdir", "/nonexistent");
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
