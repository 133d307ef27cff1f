package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The script that tries the commands of the others. */
class ProbeScriptTest {

    private static final Pattern CALL = Pattern.compile("redis\\.(p?)call\\('([A-Z]+)'");

    @ParameterizedTest
    @EnumSource(names = {"PROBE", "REIGN_PROBE"})
    void itTriesTheCommandsOfAllOthersAndNoMore(Script probe) {
        Set<String> called = new TreeSet<>();
        probe.companions().stream().filter(script -> script != probe).forEach(script -> {
            called.addAll(commands(script, ""));
            called.addAll(commands(script, "p"));
        });

        assertThat(commands(probe, "p")).isEqualTo(called);
    }

    /** @param kind {@code p} for those that may fail, as all of the probe's may */
    private static Set<String> commands(Script script, String kind) {
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
