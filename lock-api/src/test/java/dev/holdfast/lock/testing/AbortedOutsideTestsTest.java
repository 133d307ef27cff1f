package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A test that is aborted by an extension, its class or its constructor fails as well. */
class AbortedOutsideTestsTest {

    /** Aborts each test before it begins. */
    static class BeforeEachTest implements BeforeEachCallback {
        @Override
        public void beforeEach(ExtensionContext context) {
            Assumptions.abort("on purpose");
        }
    }

    /** Aborts a class before it begins. */
    static class BeforeAllTests implements BeforeAllCallback {
        @Override
        public void beforeAll(ExtensionContext context) {
            Assumptions.abort("on purpose");
        }
    }

    /** Run by this test only. */
    @ExtendWith(BeforeEachTest.class)
    static class ByAnExtensionBeforeEach {
        @Test
        void isNotListed() {}
    }

    /** Run by this test only. */
    @ExtendWith(BeforeAllTests.class)
    static class ByAnExtensionBeforeAll {
        @Test
        void isNotListed() {}
    }

    /** Run by this test only. */
    static class ByItsClass {
        @BeforeAll
        static void abort() {
            Assumptions.abort("on purpose");
        }

        @Test
        void isNotListed() {}
    }

    /** Run by this test only. */
    static class ByItsConstructor {
        ByItsConstructor() {
            Assumptions.abort("on purpose");
        }

        @Test
        void isNotListed() {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ByAnExtensionBeforeEach.class,
                ByAnExtensionBeforeAll.class,
                ByItsClass.class,
                ByItsConstructor.class
            })
    void abort_outsideTheTestMethod_fails(Class<?> tests) {
        TestExecutionSummary summary = AbortedTestsTest.run(tests);

        assertThat(List.of(summary.getTestsAbortedCount(), summary.getTestsSucceededCount()))
                .containsOnly(0L);
        assertThat(summary.getFailures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.getException())
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContainingAll("was aborted, and is not in", "on purpose"));
    }
}
