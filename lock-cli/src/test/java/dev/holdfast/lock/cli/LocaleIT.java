package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code lock} in locales that are not ours: what is no text there, and other letters, digits and time zones. */
@Tag("second-build")
@Execution(ExecutionMode.CONCURRENT)
@Order(1)
class LocaleIT extends SqliteCliTestBase {

    /** Another lower case of I, as in Turkish, other digits, as in Arabic, and a time zone whose offset has half an hour. */
    private static final List<String> FOREIGN = List.of(
            "-Duser.language=tr",
            "-Duser.country=TR",
            "-Duser.extensions=u-nu-arab",
            "-Duser.timezone=Asia/Kathmandu",
            "-Dfile.encoding=ISO-8859-1");

    /** A shell passes the bytes of its script on, whatever the locale of this build is. */
    private ProcessBuilder inLocale(String locale, String assignments, String arguments) throws IOException {
        Path script = Files.createTempFile(folder, "in-locale", ".sh");
        Files.writeString(
                script,
                "export LC_ALL=" + locale + " " + assignments + "\nexec " + CliProcess.quoted(CliProcess.java(folder))
                        + " " + arguments + "\n",
                UTF_8);
        return new ProcessBuilder("sh", script.toString())
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile());
    }

    @Test
    void run_whenNameIsNotTextInTheLocale_isRefusedBeforeItIsTakenForAnother() throws Exception {
        List<CliProcess> all = new ArrayList<>();
        for (String arguments : List.of("run 'цена' -- true", "list 'курс'", "release --force --yes 'курс'")) {
            all.add(start(inLocale("C", "LOCK_CONFIG='" + config + "'", arguments)));
        }
        for (CliProcess refused : all) {
            assertThat(refused.exitStatus()).as(refused.stderr()).isEqualTo(64);
            assertThat(refused.stderr()).contains("is not text in this locale", "set LC_ALL=C.UTF-8");
            assertThat(refused.stdout()).isEmpty();
        }
        assertThat(database()).doesNotExist();
    }

    @Test
    void run_whenNameIsTextInTheLocale_isThatNameEverywhere() throws Exception {
        CliProcess run = start(inLocale(
                "C.UTF-8", "LOCK_CONFIG='" + config + "'", "run 'цена' -- sh -c 'printf %s \"$HOLDFAST_NAME\"'"));

        assertThat(run.exitStatus()).as(run.stderr()).isZero();
        assertThat(run.stdout()).isEqualTo("цена");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOCK_JDBC_URL=jdbc:sqlite:/nowhere/цена.db",
                "LOCK_CONFIG=/nowhere/цена.properties",
                "JAVA_TOOL_OPTIONS=-Dlock.jdbc.url=jdbc:sqlite:/nowhere/цена.db"
            })
    void run_whenASettingIsNotTextInTheLocale_exitsWith78(String assignment) throws Exception {
        CliProcess refused = start(inLocale("C", assignment, "run a -- true"));

        assertThat(refused.exitStatus()).as(refused.stderr()).isEqualTo(78);
        assertThat(refused.stderr()).contains("not text in ").contains("LC_ALL=C.UTF-8");
    }

    /** Java finds no file there: without an error another store would be used. */
    @Test
    void run_whenWorkingDirectoryIsNotTextInTheLocale_exitsWith78() throws Exception {
        CliProcess refused = start(inLocale("C", "&& mkdir работа && cd работа", "run a -- true"));

        assertThat(refused.exitStatus()).as(refused.stderr()).isEqualTo(78);
        assertThat(refused.stderr()).contains("the working directory").contains("LC_ALL=C.UTF-8");
    }

    @Test
    void lock_whateverLettersDigitsAndTimeZone_doesTheSame() throws Exception {
        String name = "IŞIK ı i 7";
        assertThat(execute(FOREIGN, "config", "--json")).isEqualTo(execute(List.of(), "config", "--json"));
        assertThat(execute(FOREIGN, "doctor", "--json"))
                .contains("\"subject\": \"commands\"")
                .matches(LocaleIT::hasNoForeignDigit);
        assertThat(execute(
                        FOREIGN, "run", "--if-busy", "fail", "--wait", "10s", "--at-least", "1h", name, "--", "true"))
                .isEmpty();
        String list = execute(FOREIGN, "list", "--json");
        assertThat(names(list)).containsExactly(name);
        assertThat(list).matches(LocaleIT::hasNoForeignDigit);
        assertThat(execute(FOREIGN, "list")).contains(name).matches(LocaleIT::hasNoForeignDigit);
    }

    private static boolean hasNoForeignDigit(String text) {
        return text.codePoints().noneMatch(c -> Character.isDigit(c) && (c < '0' || c > '9'));
    }

    private static List<String> names(String json) {
        JsonArray locks = JsonParser.parseString(json).getAsJsonArray();
        return locks.asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(lock -> lock.get("name").getAsString())
                .toList();
    }

    /** Standard output of a call that succeeds. */
    private String execute(List<String> options, String subcommand, String... arguments) throws Exception {
        ProcessBuilder builder = process(subcommand, arguments);
        options.forEach(option -> CliProcess.option(builder, option));
        builder.environment().put("LC_ALL", "C.UTF-8");
        CliProcess process = start(builder);
        assertThat(process.exitStatus()).as(process.stderr()).isZero();
        return process.stdout();
    }
}
