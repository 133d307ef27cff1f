package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The script that tries the commands of the others. */
class ProbeScriptTest {

    private static final Pattern CALL = Pattern.compile("redis\\.(p?)call\\('([A-Z]+)'");

    @Test
    void itTriesTheCommandsOfAllOthersAndNoMore() {
        Set<String> called = new TreeSet<>();
        Stream.of(Script.values()).filter(script -> script != Script.PROBE).forEach(script -> {
            called.addAll(commands(script, ""));
            called.addAll(commands(script, "p"));
        });

        assertThat(commands(Script.PROBE, "p")).isEqualTo(called);
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
