package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** What an operator reads when an application does not start because of its locks. */
class LockFailureAnalyzerTest {

    @Test
    void wrongSetting_isReportedByItsProperty() {
        FailureAnalysis analysis = analysis("holdfast.provider=memory", "holdfast.lease=5ms");

        assertThat(analysis.getDescription())
                .contains("holdfast.lease=PT0.005S (\"holdfast.lease\" from property source \"test\")")
                .contains("at least 100ms");
    }

    @Test
    void storeThatIsDown_isReportedWithItsAddressAndWithoutItsPassword() {
        FailureAnalysis analysis =
                analysis("holdfast.provider=redis", "holdfast.redis.uri=redis://:hidden@127.0.0.1:1");

        assertThat(analysis.getDescription())
                .contains("cannot be reached")
                .contains("127.0.0.1:1")
                .doesNotContain("hidden");
        assertThat(analysis.getAction()).contains("Start the store");
    }

    private static FailureAnalysis analysis(String... properties) {
        AtomicReference<FailureAnalysis> found = new AtomicReference<>();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
                .withPropertyValues(properties)
                .run(context -> found.set(analyzer().analyze(context.getStartupFailure())));
        return found.get();
    }

    /** As Boot finds it. */
    private static FailureAnalyzer analyzer() {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {}))
                .stream()
                .filter(LockFailureAnalyzer.class::isInstance)
                .findFirst()
                .orElseThrow();
    }
}
