package dev.holdfast.lock.jdbc.postgresql.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads with and without data, while the driver looks and while it waits. */
@Tag("first-build")
class ImpatientStreamTest {

    @Test
    void look_whenNothingWasReceived_doesNotWait() {
        InputStream looking = new LowLatencySocketFactory.ImpatientStream(new Waiting(), () -> true);

        assertThatThrownBy(looking::read).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> looking.read(new byte[3])).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void look_whenSomethingWasReceived_readsIt() throws Exception {
        InputStream looking =
                new LowLatencySocketFactory.ImpatientStream(new ByteArrayInputStream(new byte[] {1, 2}), () -> true);

        assertThat(looking.read()).isEqualTo(1);
        assertThat(looking.read(new byte[3])).isEqualTo(1);
    }

    @Test
    void read_whenNoLook_waits() throws Exception {
        InputStream waiting = new LowLatencySocketFactory.ImpatientStream(new Waiting(), () -> false);

        assertThat(waiting.read()).isEqualTo(Waiting.COMES);
        assertThat(waiting.read(new byte[3])).isEqualTo(1);
    }

    /** Has nothing available, and blocks a read until there is. */
    private static final class Waiting extends InputStream {

        static final int COMES = 7;

        @Override
        public int available() {
            return 0;
        }

        @Override
        public int read() {
            return COMES;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            bytes[offset] = COMES;
            return 1;
        }
    }
}
