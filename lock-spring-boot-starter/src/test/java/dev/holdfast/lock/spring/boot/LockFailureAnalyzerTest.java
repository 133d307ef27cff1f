package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** What an operator reads when an application does not start because of its locks. */
@ExtendWith(OutputCaptureExtension.class)
class LockFailureAnalyzerTest {

    @Test
    void wrongSetting_isReportedByItsPropertyWithoutAStackTrace(CapturedOutput output) {
        start("--holdfast.provider=memory", "--holdfast.lease=5ms");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("holdfast.lease=PT0.005S (\"holdfast.lease\" from property source")
                .doesNotContain("\tat ");
    }

    @Test
    void storeThatIsDown_isReportedWithItsAddress(CapturedOutput output) {
        start("--holdfast.provider=redis", "--holdfast.redis.uri=redis://:hidden@127.0.0.1:1");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("127.0.0.1:1")
                .contains("cannot be reached")
                .doesNotContain("hidden");
    }

    private static void start(String... arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        try {
            application.run(arguments).close();
        } catch (RuntimeException expected) {
            return; // reported on the console
        }
        throw new AssertionError("the application has started");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HoldfastAutoConfiguration.class)
    static class Application {}
}
