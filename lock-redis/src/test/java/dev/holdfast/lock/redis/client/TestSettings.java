package dev.holdfast.lock.redis.client;

import java.time.Duration;
import java.util.Optional;

/** Settings without credentials and TLS. */
final class TestSettings {

    private TestSettings() {}

    static ConnectionSettings with(int poolSize, Duration timeout) {
        return new ConnectionSettings(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                poolSize,
                timeout);
    }
}
