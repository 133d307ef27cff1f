package dev.holdfast.lock.jdbc.pool;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.sqlite.SQLiteDataSource;

/** Calls whose deadline is over before they have a connection of the application's. */
class LateCallTest {

    /** Either the caller or its worker notices first. */
    @Test
    void with_whenDeadlineIsOver_namesTheDataSource() {
        try (ApplicationDataSource source = new ApplicationDataSource(new SQLiteDataSource())) {
            for (int call = 0; call < 20; call++) {
                assertThatThrownBy(() -> source.with(Deadline.in(Duration.ZERO), Connection::isClosed))
                        .isInstanceOf(SQLTimeoutException.class)
                        .hasMessageContaining("the application's data source handed out no connection in time");
            }
        }
    }

    @Test
    void runApart_whenDeadlineIsOver_namesTheDatabaseToo() {
        try (ApplicationDataSource source = new ApplicationDataSource(new SQLiteDataSource())) {
            assertThatThrownBy(() -> source.runApart(Deadline.in(Duration.ZERO), () -> true))
                    .isInstanceOf(SQLTimeoutException.class)
                    .hasMessageContaining("the database took too long, or")
                    .hasMessageContaining("handed out no connection in time");
        }
    }
}
