package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;

/** What is said when a store cannot be opened. */
final class OpeningErrors {

    private OpeningErrors() {}

    static AbstractThrowableAssert<?, ?> opening(Map<String, String> settings) {
        return assertThatThrownBy(() -> Opened.store(settings).close());
    }
}
