package dev.holdfast.lock.junit;

import dev.holdfast.lock.Locks;
import java.util.Properties;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test {@link TestLocks} of its own, and closes them after it. A test method receives them, or their {@link Locks}, as a
 * parameter, and so do methods with {@code @BeforeEach} and {@code @AfterEach}.
 *
 * <pre>{@code
 * @ExtendWith(LocksExtension.class)                    // in memory
 * class TransfersTest {
 *     @Test
 *     void transfer_whenTheAccountIsLocked_isRefused(Locks locks, TestLocks test) {
 *         test.makeBusy("account-17");
 *         assertThat(new Transfers(locks).transfer(17, 100)).isFalse();
 *     }
 * }
 * }</pre>
 *
 * <p>For another store, such as a server in a container:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final LocksExtension LOCKS = LocksExtension.on(() -> settingsOf(container));
 * }</pre>
 *
 * <p>Tests may run in parallel.
 */
public final class LocksExtension implements ParameterResolver, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LocksExtension.class);

    private final Supplier<TestLocks> open;

    /** With locks in memory. */
    public LocksExtension() {
        this(TestLocks::inMemory);
    }

    private LocksExtension(Supplier<TestLocks> open) {
        this.open = open;
    }

    /**
     * With locks in the store that these settings describe.
     *
     * @param settings as for {@link TestLocks#on}; called for each test that has locks as a parameter
     */
    public static LocksExtension on(Supplier<Properties> settings) {
        return new LocksExtension(() -> TestLocks.on(settings.get()));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return context.getTestMethod().isPresent() && (type == Locks.class || type == TestLocks.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestLocks locks = store(context).computeIfAbsent(this, any -> open.get(), TestLocks.class);
        return parameter.getParameter().getType() == Locks.class ? locks.locks() : locks;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestLocks locks = store(context).remove(this, TestLocks.class);
        if (locks != null) {
            locks.close();
        }
    }

    private static ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(NAMESPACE);
    }
}
