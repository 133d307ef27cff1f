package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockReply;
import java.util.Properties;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code lock.token-floor}: for resources that have seen greater tokens than the store grants. */
class TokenFloorTest {

    private static final long FAR = LockReply.Granted.MAX_TOKEN / 2;

    private final Properties properties = new Properties();

    TokenFloorTest() {
        properties.setProperty("lock.provider", "memory");
        properties.setProperty("lock.namespace", UUID.randomUUID().toString());
    }

    @Test
    void token_afterTheFloorIsRemoved_staysAboveIt() throws Exception {
        long before = token("a");
        properties.setProperty("lock.token-floor", Long.toString(FAR));
        long above = token("a");
        properties.remove("lock.token-floor");

        assertThat(before).isLessThan(LockReply.Granted.fencingToken(FAR, 0));
        assertThat(above).isGreaterThan(LockReply.Granted.fencingToken(FAR, LockReply.Granted.HOLDERS_PER_GRANT - 1));
        assertThat(token("a")).isGreaterThan(above);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "9007199254740991", "far", "1.5"})
    void open_withAnInvalidFloor_throwsConfigurationException(String floor) {
        properties.setProperty("lock.token-floor", floor);

        assertThatExceptionOfType(LockConfigurationException.class)
                .isThrownBy(() -> Locks.open(properties))
                .withMessageContaining("lock.token-floor")
                .withMessageContaining("9007199254740990");
    }

    private long token(String name) throws InterruptedException {
        try (Locks locks = Locks.open(properties);
                Lease lease = locks.named(name).acquire()) {
            return lease.fencingToken();
        }
    }
}
