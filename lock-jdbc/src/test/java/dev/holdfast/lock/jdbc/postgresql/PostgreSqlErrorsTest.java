package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.pool.ErrorClass;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the errors of PgBouncer 1.18 mean, all of which have one SQLSTATE. */
@Tag("first-build")
class PostgreSqlErrorsTest {

    private static ErrorClass byPgBouncer(String message) {
        return PostgreSqlErrors.INSTANCE.classify(new SQLException("FATAL: " + message, "08P01"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password authentication failed",
                "unsupported startup parameter: search_path",
                "no such database: app",
                "no such user: locks"
            })
    void refusal_byPgBouncerForGood_isAWrongSetting(String message) {
        assertThat(byPgBouncer(message)).isEqualTo(ErrorClass.WRONG_SETTING);
    }

    @Test
    void refusal_byPgBouncerWhoseServerIsDown_isAnOutage() {
        assertThat(byPgBouncer("client_login_timeout (server down)")).isEqualTo(ErrorClass.OUTAGE);
        assertThat(byPgBouncer("server login has been failing, try again later (server_login_retry)"))
                .isEqualTo(ErrorClass.OUTAGE);
    }
}
