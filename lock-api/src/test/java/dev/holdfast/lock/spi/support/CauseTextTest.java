package dev.holdfast.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class CauseTextTest {

    @Test
    void of_wrappedFailure_saysTheRootCauseFirstAndTheWrappersLast() {
        SQLException driver =
                new SQLException("The connection attempt failed.", new ConnectException("Connection refused"));

        assertThat(CauseText.of(new SQLException("pool - Connection is not available, timed out after 250ms", driver)))
                .isEqualTo(
                        "Connection refused (The connection attempt failed; pool - Connection is not available, timed"
                                + " out after 250ms)");
    }

    @Test
    void of_wrapperThatRepeatsItsCause_saysItOnce() {
        IOException root = new IOException("No space left on device");

        assertThat(CauseText.of(new SQLException(root))).isEqualTo("No space left on device");
        assertThat(CauseText.of(new SQLException("cannot write: No space left on device", root)))
                .isEqualTo("No space left on device (cannot write)");
        assertThat(CauseText.of(new SQLException("No space left on device", root)))
                .isEqualTo("No space left on device");
    }

    @Test
    void of_failureOfSeveralNodes_saysTheReasonOfEach() {
        IOException all = new IOException("no node answers");
        all.addSuppressed(new ConnectException("Connection refused"));
        all.addSuppressed(new IOException("Read timed out"));

        assertThat(CauseText.of(all)).isEqualTo("Connection refused (Read timed out; no node answers)");
    }

    @Test
    void of_messageThatIsAName_saysTheType() {
        assertThat(CauseText.of(new SQLException("failed to connect", new UnknownHostException("db.example"))))
                .isEqualTo("UnknownHostException: db.example (failed to connect)");
    }

    @Test
    void of_causeWithoutAMessage_saysTheOthers() {
        assertThat(CauseText.of(new IOException("the peer has gone", new EOFException())))
                .isEqualTo("the peer has gone");
        assertThat(CauseText.of(new EOFException())).isEqualTo("EOFException");
    }

    @Test
    void of_causesInACircle_ends() {
        IOException one = new IOException("this one");
        one.addSuppressed(new IOException("that one", one));

        assertThat(CauseText.of(one)).isEqualTo("that one (this one)");
    }
}
