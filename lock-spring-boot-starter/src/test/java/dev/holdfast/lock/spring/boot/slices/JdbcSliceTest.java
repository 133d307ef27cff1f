package dev.holdfast.lock.spring.boot.slices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The slice of the database, of an application whose locks are in Redis, which does not answer. */
@JdbcTest(
        properties = {
            "holdfast.provider=redis",
            "holdfast.redis.uri=redis://127.0.0.1:1",
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false",
            "spring.sql.init.schema-locations=classpath:db/migration/V1__application.sql"
        })
@Tag("second-build")
@Import(Stock.class)
@ExtendWith(OutputCaptureExtension.class)
@Isolated("captures the output of all threads")
class JdbcSliceTest {

    @Test
    void lockedMethod_inTheSlice_runsWithoutStoreAndLock(
            @Autowired Stock stock,
            @Autowired JdbcClient jdbc,
            @Autowired ApplicationContext context,
            CapturedOutput output) {
        assertThat(context.getBeanNamesForType(Locks.class)).isEmpty();
        assertThat(stock.add("pen")).isFalse();
        assertThat(jdbc.sql("select name from article").query(String.class).list())
                .containsExactly("pen");
        assertThat(output).doesNotContainPattern("(WARN|ERROR) dev\\.holdfast");
    }
}
