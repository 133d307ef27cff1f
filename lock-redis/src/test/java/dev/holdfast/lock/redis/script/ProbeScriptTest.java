package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script that tries the commands of all others. */
class ProbeScriptTest {

    private static final Pattern CALL = Pattern.compile("redis\\.(p?)call\\('([A-Z]+)'");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void probe_ofEachVariant_triesTheCommandsOfAllScripts(boolean isUnderTerm) {
        Script.Source probe = isUnderTerm ? Script.PROBE.underTerm() : Script.PROBE.standalone();
        Set<String> called = new TreeSet<>();
        probe.companions().stream().filter(script -> !script.equals(probe)).forEach(script -> {
            called.addAll(commands(script, ""));
            called.addAll(commands(script, "p"));
        });

        assertThat(commands(probe, "p")).isEqualTo(called);
    }

    /** @param kind {@code p} for commands whose failure the script handles */
    private static Set<String> commands(Script.Source script, String kind) {
        Set<String> commands = new TreeSet<>();
        Matcher call = CALL.matcher(script.text());
        while (call.find()) {
            if (call.group(1).equals(kind)) {
                commands.add(call.group(2));
            }
        }
        return commands;
    }
}
