package dev.holdfast.lock.jdbc.postgresql.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;

/** What is there is read; for what is not, only who does not just look waits. */
class ImpatientStreamTest {

    @Test
    void lookingDoesNotWaitForWhatIsNotThere() {
        InputStream looking = new LowLatencySocketFactory.ImpatientStream(new Waiting(), () -> true);

        assertThatThrownBy(looking::read).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> looking.read(new byte[3])).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void lookingReadsWhatIsThere() throws Exception {
        InputStream looking =
                new LowLatencySocketFactory.ImpatientStream(new ByteArrayInputStream(new byte[] {1, 2}), () -> true);

        assertThat(looking.read()).isEqualTo(1);
        assertThat(looking.read(new byte[3])).isEqualTo(1);
    }

    @Test
    void aReadThatIsNoLookWaits() throws Exception {
        InputStream waiting = new LowLatencySocketFactory.ImpatientStream(new Waiting(), () -> false);

        assertThat(waiting.read()).isEqualTo(Waiting.COMES);
        assertThat(waiting.read(new byte[3])).isEqualTo(1);
    }

    /** Nothing is there, and who reads waits until something is. */
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
