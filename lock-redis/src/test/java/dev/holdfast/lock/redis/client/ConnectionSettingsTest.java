package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConnectionSettingsTest {

    @Test
    void toString_withPasswords_isMasked() {
        ConnectionSettings settings = new ConnectionSettings(
                Optional.of("app"),
                Optional.of("secret one"),
                Optional.of("watcher"),
                Optional.of("secret two"),
                Optional.of(new ConnectionSettings.TrustStore(Path.of("trusted.p12"), Optional.of("secret three"))),
                16,
                Duration.ofSeconds(3));

        assertThat(settings.toString())
                .contains("app", "watcher", "trusted.p12")
                .doesNotContain("secret");
        assertThat(settings.tls().toString()).contains("trusted.p12").doesNotContain("secret");
    }
}
