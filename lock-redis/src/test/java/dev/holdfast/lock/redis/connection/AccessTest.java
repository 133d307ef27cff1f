package dev.holdfast.lock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AccessTest {

    @Test
    void itIsPrintedWithoutItsPasswords() {
        Access access = new Access(
                Optional.of("app"),
                Optional.of("secret one"),
                Optional.of("watcher"),
                Optional.of("secret two"),
                Optional.of(new Access.Trust(Path.of("trusted.p12"), Optional.of("secret three"))),
                16,
                Duration.ofSeconds(3));

        assertThat(access.toString()).contains("app", "watcher", "trusted.p12").doesNotContain("secret");
        assertThat(access.trust().toString()).contains("trusted.p12").doesNotContain("secret");
    }
}
