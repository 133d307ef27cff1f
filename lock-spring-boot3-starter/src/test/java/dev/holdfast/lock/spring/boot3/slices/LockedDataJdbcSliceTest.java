package dev.holdfast.lock.spring.boot3.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.boot.HoldfastAutoConfiguration;
import dev.holdfast.lock.spring.boot.HoldfastLockedAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.data.jdbc.DataJdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The slice of the repositories with the locks in its database, whose tables and those of the fence the application creates. */
@DataJdbcTest(
        properties = {
            "holdfast.jdbc.data-source=shared",
            "spring.sql.init.schema-locations=classpath:article.sql,"
                    + "classpath:dev/holdfast/lock/jdbc/h2/V1__tables.sql,"
                    + "classpath:dev/holdfast/lock/fencing/h2/table.sql"
        })
@Tag("second-build")
@ImportAutoConfiguration({HoldfastAutoConfiguration.class, HoldfastLockedAutoConfiguration.class})
@Import(Stock.class)
class LockedDataJdbcSliceTest {

    private final Stock stock;

    @Autowired
    LockedDataJdbcSliceTest(Stock stock) {
        this.stock = stock;
    }

    @Test
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    void fencedMethod_ofATestWithoutTransaction_entersTheFence(@Autowired JdbcTemplate jdbc) {
        long token = stock.addFenced("fenced");
        assertThat(jdbc.queryForObject("select max(token) from holdfast_fence", Long.class))
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
        assertThat(locks.provider()).isEqualTo("jdbc");
        assertThat(stock.add("kept")).isTrue();
        assertThat(locks.named("stock:kept").tryAcquire()).isEmpty();
    }
}
