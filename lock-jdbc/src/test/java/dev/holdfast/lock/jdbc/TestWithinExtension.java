package dev.holdfast.lock.jdbc;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.opentest4j.TestAbortedException;

/** Begins a {@link TestWithin} anew. */
final class TestWithinExtension implements TestTemplateInvocationContextProvider {

    private static final int ATTEMPTS = 8;

    /** For this long at most a new one is begun: what is wrong may take a minute until it is given up. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Attempts attempts = new Attempts(context.getRequiredTestMethod().getAnnotation(TestWithin.class));
        return Stream.generate(() -> attempts).takeWhile(Attempts::next).map(same -> same);
    }

    /** Of one test, one after the other. */
    private static final class Attempts implements TestTemplateInvocationContext, InvocationInterceptor {

        private final Duration limit;
        private final long first = System.nanoTime();
        private int begun;
        private boolean isOpen = true;

        Attempts(TestWithin test) {
            this.limit = Duration.ofMillis(test.millis());
        }

        /** Whether there is another. */
        boolean next() {
            boolean next = isOpen;
            isOpen = false;
            begun++;
            return next;
        }

        @Override
        public String getDisplayName(int number) {
            return "attempt " + number;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
                throws Throwable {
            long start = System.nanoTime();
            try {
                test.proceed();
            } catch (Exception | AssertionError e) {
                Duration took = since(start);
                if (took.compareTo(limit) <= 0
                        || begun == ATTEMPTS
                        || since(first).compareTo(PATIENCE) > 0) {
                    throw e;
                }
                isOpen = true;
                throw new TestAbortedException("failed after " + took + ", which shows nothing", e);
            }
        }

        private static Duration since(long nanos) {
            return Duration.ofNanos(System.nanoTime() - nanos);
        }
    }
}
