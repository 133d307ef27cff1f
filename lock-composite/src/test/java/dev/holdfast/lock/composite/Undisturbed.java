package dev.holdfast.lock.composite;

import dev.holdfast.lock.pulse.Pulse;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Aborts a test that fails where this process stood still for so long that with a regime lease of two seconds what it holds may be
 * lost, as is right, when who grants changes: that shows nothing.
 */
final class Undisturbed implements BeforeEachCallback, TestExecutionExceptionHandler {

    private static final Duration STANDSTILL = Duration.ofMillis(600);
    private static final ExtensionContext.Namespace OURS = ExtensionContext.Namespace.create(Undisturbed.class);

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(OURS).put(Pulse.class, new Pulse()); // which is closed with the store
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        Pulse pulse =
                Objects.requireNonNull(context.getStore(OURS).get(Pulse.class, Pulse.class), "made before each test");
        Duration longest = pulse.longest();
        if (longest.compareTo(STANDSTILL) >= 0) {
            throw new TestAbortedException("in vain, as this process stood still for " + longest, thrown);
        }
        throw thrown;
    }
}
