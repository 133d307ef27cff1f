package dev.holdfast.lock.jdbc.h2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.pool.ErrorClass;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What H2's general error means, of which a race inside H2 is a kind. */
@Tag("second-build")
class H2ErrorsTest {

    private static ErrorClass generalError(String cause) {
        return H2Errors.INSTANCE.classify(new SQLException("General error: \"" + cause + "\"", "HY000", 50000));
    }

    @Test
    void generalError_byASessionThatEndsItsTransaction_isRetried() {
        assertThat(
                        generalError(
                                "java.lang.NullPointerException: Cannot invoke"
                                        + " \"\"org.h2.mvstore.tx.Transaction.getStatus()\"\" because \"\"this.transaction\"\" is null"))
                .isEqualTo(ErrorClass.ROLLED_BACK);
    }

    @Test
    void generalError_ofAnyOtherKind_isNot() {
        assertThat(generalError("java.lang.NullPointerException")).isEqualTo(ErrorClass.OTHER);
    }
}
