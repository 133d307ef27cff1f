package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.AbstractThrowableAssert;

/** Assertions on stores that cannot be opened. */
final class OpeningAssertions {

    private OpeningAssertions() {}

    static AbstractThrowableAssert<?, ?> opening(String uri, String... more) {
        return assertThatThrownBy(() -> TestStores.store(uri, more).close());
    }

    static void keepsQuiet(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            assertThat(at.toString().replace("redis://secret@", "")).doesNotContain("secret");
        }
    }
}
