package dev.holdfast.lock.spring.boot.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.boot.HoldfastAutoConfiguration;
import dev.holdfast.lock.spring.boot.HoldfastLockedAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The slice of the database with the locks in it, and with the tables of the fence. */
@JdbcTest(
        properties = {
            "holdfast.jdbc.data-source=shared",
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false",
            "spring.sql.init.schema-locations=classpath:db/migration/V1__application.sql,"
                    + "classpath:dev/holdfast/lock/fencing/h2/table.sql"
        })
@Tag("second-build")
@ImportAutoConfiguration({HoldfastAutoConfiguration.class, HoldfastLockedAutoConfiguration.class})
@Import(Stock.class)
class LockedJdbcSliceTest {

    private final Stock stock;
    private final JdbcClient jdbc;

    @Autowired
    LockedJdbcSliceTest(Stock stock, JdbcClient jdbc) {
        this.stock = stock;
        this.jdbc = jdbc;
    }

    @Test
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    void fencedMethod_ofATestWithoutTransaction_entersTheFence(@Autowired Locks locks) {
        assertThat(locks.provider()).isEqualTo("jdbc");
        long token = stock.addFenced("fenced");
        assertThat(jdbc.sql("select max(token) from holdfast_fence")
                        .query(Long.class)
                        .single())
                .isEqualTo(token);
    }

    @Test
    void fencedMethod_inTheTransactionOfTheTest_isRefused() {
        assertThatThrownBy(() -> stock.addFenced("late"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Call the method without a transaction");
    }

    @Test
    void lockedMethod_inTheTransactionOfTheTest_keepsItsLockUntilThatEnds(@Autowired Locks locks) {
        assertThat(stock.add("kept")).isTrue();
        assertThat(locks.named("stock:kept").tryAcquire()).isEmpty();
    }
}
