package dev.holdfast.lock.spring.boot3.slices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.data.jdbc.DataJdbcTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

/** The slice of the repositories, of an application whose locks are in Redis, which does not answer. */
@DataJdbcTest(
        properties = {
            "holdfast.provider=redis",
            "holdfast.redis.uri=redis://127.0.0.1:1",
            "spring.sql.init.schema-locations=classpath:article.sql"
        })
@Tag("second-build")
@Import(Stock.class)
@ExtendWith(OutputCaptureExtension.class)
class DataJdbcSliceTest {

    @Test
    void lockedMethod_inTheSlice_runsWithoutStoreAndLock(
            @Autowired Stock stock,
            @Autowired Articles articles,
            @Autowired ApplicationContext context,
            CapturedOutput output) {
        assertThat(context.getBeanNamesForType(Locks.class)).isEmpty();
        assertThat(stock.add("pen")).isFalse();
        assertThat(articles.findAll()).extracting(Article::name).containsExactly("pen");
        assertThat(output).doesNotContainPattern("(WARN|ERROR) dev\\.holdfast");
    }
}
