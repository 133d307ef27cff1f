package dev.holdfast.lock.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a nested build inherits from the environment of the outer one. */
@Tag("first-build")
class NestedMavenTest {

    private static final String DEBUGGER = "-Xmx1g -agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=5005";

    @Test
    void nestedBuild_inheritsNeitherDebuggerNorArguments() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "MAVEN_BASEDIR", "/elsewhere",
                "MAVEN_ARGS", "clean",
                "MAVEN_DEBUG_OPTS", DEBUGGER,
                "MAVEN_OPTS", DEBUGGER,
                "JAVA_TOOL_OPTIONS", DEBUGGER,
                "JDK_JAVA_OPTIONS", DEBUGGER,
                "PATH", "/bin"));
        NestedMaven.removeOuterBuild(environment);
        assertThat(environment).containsOnlyKeys("PATH");
    }

    @Test
    void nestedBuild_inheritsOptionsWithoutADebugger() {
        Map<String, String> environment = new HashMap<>(Map.of("MAVEN_OPTS", "-Xmx1g", "JAVA_TOOL_OPTIONS", "-Da=b"));
        NestedMaven.removeOuterBuild(environment);
        assertThat(environment).containsOnlyKeys("MAVEN_OPTS", "JAVA_TOOL_OPTIONS");
    }
}
