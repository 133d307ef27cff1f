package dev.holdfast.lock.spring.boot.slices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** The slice of the web, of an application whose store does not answer. */
@Tag("second-build")
@WebMvcTest(properties = {"holdfast.provider=redis", "holdfast.redis.uri=redis://127.0.0.1:1"})
@ExtendWith(OutputCaptureExtension.class)
@Isolated("captures the output of all threads")
class WebSliceTest {

    private final MockMvcTester web;

    @Autowired
    WebSliceTest(MockMvcTester web) {
        this.web = web;
    }

    @Test
    void lockedMethod_inTheSlice_runsWithoutStoreAndLock(@Autowired ApplicationContext context, CapturedOutput output) {
        assertThat(context.getBeanNamesForType(Locks.class)).isEmpty();
        assertThat(web.get().uri("/count")).hasStatusOk().hasBodyTextEqualTo("not locked");
        assertThat(output).doesNotContainPattern("(WARN|ERROR) dev\\.holdfast");
    }

    @Test
    void busyLock_inTheSlice_isAnsweredAsInTheApplication() {
        assertThat(web.get().uri("/busy"))
                .hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
                .hasHeader("Retry-After", "5");
    }

    @Test
    void currentLease_inTheSlice_saysWhereItsMethodIsNotLocked() {
        assertThat(web.get().uri("/token"))
                .failure()
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a slice of a test has no locks");
    }
}
