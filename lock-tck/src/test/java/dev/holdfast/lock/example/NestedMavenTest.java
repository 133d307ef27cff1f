package dev.holdfast.lock.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A build in a build is its own build. */
class NestedMavenTest {

    private static final String DEBUGGER = "-Xmx1g -agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=5005";

    @Test
    void itWaitsForNoDebuggerAndHasNobodyElsesArguments() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "MAVEN_BASEDIR", "/elsewhere",
                "MAVEN_ARGS", "clean",
                "MAVEN_DEBUG_OPTS", DEBUGGER,
                "MAVEN_OPTS", DEBUGGER,
                "JAVA_TOOL_OPTIONS", DEBUGGER,
                "JDK_JAVA_OPTIONS", DEBUGGER,
                "PATH", "/bin"));
        NestedMaven.forgetTheOuter(environment);
        assertThat(environment).containsOnlyKeys("PATH");
    }

    @Test
    void optionsWithoutADebuggerStay() {
        Map<String, String> environment = new HashMap<>(Map.of("MAVEN_OPTS", "-Xmx1g", "JAVA_TOOL_OPTIONS", "-Da=b"));
        NestedMaven.forgetTheOuter(environment);
        assertThat(environment).containsOnlyKeys("MAVEN_OPTS", "JAVA_TOOL_OPTIONS");
    }
}
