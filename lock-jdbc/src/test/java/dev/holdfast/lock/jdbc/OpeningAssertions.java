package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;

/** Assertions about a store that cannot be opened. */
final class OpeningAssertions {

    private OpeningAssertions() {}

    static AbstractThrowableAssert<?, ?> opening(Map<String, String> settings) {
        return assertThatThrownBy(() -> Opened.store(settings).close());
    }
}
