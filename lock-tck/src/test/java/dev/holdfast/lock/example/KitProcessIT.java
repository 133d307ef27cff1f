package dev.holdfast.lock.example;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A test run that is killed leaves no process behind. */
class KitProcessIT {

    @Test
    void itEndsWithTheProcessThatStartedIt() throws Exception {
        var project = Folders.copyOfTheExample(Folders.TARGET.resolve("abandoned"));
        try (KitProcess kit = KitProcess.start(project, "P1")) {
            assertThat(kit.endsWhenAbandoned()).isTrue();
        }
    }
}
