package dev.holdfast.lock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Fails each test that is aborted or disabled and not listed in {@code aborted-tests.txt} of its module, as such a test shows
 * nothing.
 *
 * <p>A line of the list is the simple name of the outermost test class, a dot, and the method or {@code *}; then a blank and the
 * reason. JUnit finds this extension by itself. Where the servers are not the embedded ones, which alone can be broken and configured,
 * the list does not apply.
 */
public final class AbortedTests
        implements BeforeAllCallback,
                AfterAllCallback,
                AfterEachCallback,
                InvocationInterceptor,
                TestExecutionExceptionHandler,
                LifecycleMethodExecutionExceptionHandler {

    static final String LIST = "aborted-tests.txt";

    private static final String CONDITIONS = "org.junit.jupiter.api.condition.";
    private static final String DISABLED = "org.junit.jupiter.api.Disabled";

    private static final boolean APPLIES =
            System.getProperty("lock.test.servers", "embedded").equals("embedded")
                    && System.getProperty("lock.test.mariadb.host") == null
                    && System.getProperty("lock.test.mariadb.program") == null;

    private final Set<String> listed = read();

    @Override
    public void beforeAll(ExtensionContext context) {
        Class<?> tests = context.getRequiredTestClass();
        refuse(context, tests, "*");
        for (Method method : tests.getDeclaredMethods()) {
            refuse(context, method, method.getName());
        }
    }

    private void refuse(ExtensionContext context, AnnotatedElement element, String method) {
        for (Annotation each : element.getAnnotations()) {
            String type = each.annotationType().getName();
            if ((type.equals(DISABLED) || type.startsWith(CONDITIONS)) && !isListed(context, method)) {
                throw new AssertionError(each + " at " + element + ", which is not in " + LIST);
            }
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        throw ofListed(context, thrown);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        throw ofListed(context, thrown);
    }

    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        throw ofListed(context, thrown);
    }

    /** No handler is called if another extension aborted the test. */
    @Override
    public void afterEach(ExtensionContext context) {
        refuseAbort(context);
    }

    /** The same for a whole class. */
    @Override
    public void afterAll(ExtensionContext context) {
        refuseAbort(context);
    }

    private void refuseAbort(ExtensionContext context) {
        Throwable thrown = context.getExecutionException().orElse(null);
        if (thrown != null && ofListed(context, thrown) instanceof AssertionError refused && refused != thrown) {
            throw refused;
        }
    }

    @Override
    public <T> T interceptTestClassConstructor(
            Invocation<T> invocation, ReflectiveInvocationContext<Constructor<T>> called, ExtensionContext context)
            throws Throwable {
        try {
            return invocation.proceed();
        } catch (TestAbortedException e) {
            throw ofListed(context, e);
        }
    }

    private Throwable ofListed(ExtensionContext context, Throwable thrown) {
        String method = context.getTestMethod().map(Method::getName).orElse("*");
        if (!(thrown instanceof TestAbortedException) || isListed(context, method)) {
            return thrown;
        }
        return new AssertionError(
                outermost(context) + "." + method + " was aborted, and is not in " + LIST + ": " + thrown.getMessage(),
                thrown);
    }

    private boolean isListed(ExtensionContext context, String method) {
        String tests = outermost(context);
        return !APPLIES || listed.contains(tests + "." + method) || listed.contains(tests + ".*");
    }

    private static String outermost(ExtensionContext context) {
        Class<?> tests = context.getRequiredTestClass();
        ExtensionContext each = context;
        while (each.getTestClass().isPresent()) {
            tests = each.getRequiredTestClass();
            each = each.getParent().orElseThrow();
        }
        return tests.getSimpleName();
    }

    private static Set<String> read() {
        try (InputStream list = Thread.currentThread().getContextClassLoader().getResourceAsStream(LIST)) {
            if (list == null) {
                return Set.of();
            }
            return new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8))
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> Arrays.asList(line.split(" ", 2)))
                    .peek(words -> require(words.size() == 2, words + " without a reason in " + LIST))
                    .map(words -> words.get(0))
                    .collect(Collectors.toUnmodifiableSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
