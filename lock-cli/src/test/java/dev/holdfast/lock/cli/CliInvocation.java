package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.cli.output.Messages;
import dev.holdfast.lock.cli.process.SignalRouter;
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

/** One finished call of {@code lock} within this process, with its output. It listens to no signals. */
final class CliInvocation {

    static {
        loadDriver();
    }

    private final StringWriter stdout = new StringWriter();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private final List<String> questions = new ArrayList<>();
    private final int exitStatus;

    private CliInvocation(Optional<Callable<Boolean>> answer, String[] arguments) {
        Messages messages = new Messages(new PrintStream(stderr, true, UTF_8));
        Prompt prompt = new ScriptedPrompt(answer);
        exitStatus = Main.execute(
                arguments,
                new Console(
                        stdout,
                        messages,
                        prompt,
                        (keys, redraw) -> Optional.empty(),
                        () -> new SignalRouter(Thread.currentThread())));
    }

    /**
     * Each run tells the driver by a system property where to unpack, so parallel runs in one JVM would disturb each other. A
     * library that is already loaded is not unpacked again, and a temporary folder is not created in a missing parent.
     */
    private static void loadDriver() {
        try {
            DriverManager.getConnection("jdbc:sqlite::memory:").close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        System.setProperty("org.sqlite.tmpdir", "/nonexistent");
    }

    /** Without a terminal. */
    static CliInvocation nonInteractive(String... arguments) {
        return new CliInvocation(Optional.empty(), arguments);
    }

    /** With an operator who answers each question like this. */
    static CliInvocation interactive(Callable<Boolean> answer, String... arguments) {
        return new CliInvocation(Optional.of(answer), arguments);
    }

    int exitStatus() {
        return exitStatus;
    }

    String stdout() {
        return stdout.toString();
    }

    /** Standard output, as one JSON object. */
    JsonObject json() {
        return JsonParser.parseString(stdout()).getAsJsonObject();
    }

    /** Standard output, as one JSON array. */
    JsonArray jsonArray() {
        return JsonParser.parseString(stdout()).getAsJsonArray();
    }

    String stderr() {
        return stderr.toString(UTF_8);
    }

    List<String> questions() {
        return questions;
    }

    private final class ScriptedPrompt implements Prompt {
        private final Optional<Callable<Boolean>> answer;

        ScriptedPrompt(Optional<Callable<Boolean>> answer) {
            this.answer = answer;
        }

        @Override
        public boolean isInteractive() {
            return answer.isPresent();
        }

        @Override
        public boolean confirm(String question) throws IOException {
            questions.add(question);
            try {
                return answer.orElseThrow().call();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }
}
