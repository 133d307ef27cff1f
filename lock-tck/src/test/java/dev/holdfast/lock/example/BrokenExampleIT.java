package dev.holdfast.lock.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever mistake is made in the example store, the kit names the rule that it breaks. */
class BrokenExampleIT {

    private static final Map<Mistake, KitProcess> RUNNING = new EnumMap<>(Mistake.class);

    /** Side by side, and of the promise that is broken only, to be quick: that the others hold is the kit's own affair. */
    @BeforeAll
    static void runTheKitAgainstAll() throws Exception {
        for (Mistake mistake : Mistake.values()) {
            var project =
                    Folders.copyOfTheExample(Folders.TARGET.resolve("mistakes").resolve(mistake.name()));
            mistake.make(project);
            RUNNING.put(mistake, KitProcess.start(project, mistake.promise()));
        }
    }

    @AfterAll
    static void endAll() {
        RUNNING.values().forEach(KitProcess::close);
    }

    @ParameterizedTest
    @EnumSource
    void theKitNamesTheRule(Mistake mistake) throws Exception {
        KitProcess kit = RUNNING.get(mistake);

        assertThat(kit.report("txt"))
                .contains("the store does not conform")
                .contains("\n    " + mistake.rule() + " broken: ");
        assertThat(kit.report("json"))
                .contains("\"conforms\": false")
                .containsPattern("\\{\"id\": \"" + mistake.rule() + "\", .* \"verdict\": \"failed\", \"why\": \""
                        + mistake.rule() + " broken: ");
    }
}
