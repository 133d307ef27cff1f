package dev.holdfast.lock.jdbc.pool;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sqlite.SQLiteDataSource;

/** What a task of a store's threads returns when its caller has given up. */
@Timeout(300)
class LateResultTest {

    @Test
    void connection_thatIsOpenedTooLate_isClosed() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch givenUp = new CountDownLatch(1);
        try (StoreThreads threads = new StoreThreads(1);
                Connection connection = new SQLiteDataSource().getConnection()) {
            do { // a task that would begin too late is not started
                assertThatThrownBy(() -> threads.run(Deadline.in(Duration.ofSeconds(1)), "too late", () -> {
                            begun.countDown();
                            givenUp.await();
                            return connection;
                        }))
                        .isInstanceOf(SQLTimeoutException.class);
            } while (begun.getCount() > 0);
            givenUp.countDown();
            Await.until("the connection is closed", connection::isClosed);
        }
    }
}
