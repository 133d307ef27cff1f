package dev.holdfast.lock.tck;

import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/** Gives each test its {@link Kit}, and each failure the name of its rule. */
final class KitExtension
        implements BeforeEachCallback, AfterEachCallback, ParameterResolver, TestExecutionExceptionHandler {

    private static final ExtensionContext.Namespace OURS = ExtensionContext.Namespace.create(KitExtension.class);

    KitExtension() {}

    /** Whoever needs the whole store waits for the others, and they for it. */
    @Override
    public void beforeEach(ExtensionContext context) {
        ReadWriteLock store = context.getRoot()
                .getStore(OURS)
                .computeIfAbsent(
                        context.getRequiredTestClass(), anyClass -> new ReentrantReadWriteLock(), ReadWriteLock.class);
        boolean alone = context.getRequiredTestMethod().isAnnotationPresent(Alone.class);
        Lock share = alone ? store.writeLock() : store.readLock();
        share.lock();
        context.getStore(OURS).put(Lock.class, share);
        LockStoreContract contract = (LockStoreContract) context.getRequiredTestInstance();
        context.getStore(OURS).put(Kit.class, new Kit(contract));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        try {
            Kit kit = context.getStore(OURS).remove(Kit.class, Kit.class);
            if (kit != null) {
                kit.close();
            }
        } finally {
            Lock share = context.getStore(OURS).remove(Lock.class, Lock.class);
            if (share != null) {
                share.unlock();
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Kit.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(OURS).get(Kit.class, Kit.class), "made before each test");
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        Checks checks = context.getRequiredTestMethod().getAnnotation(Checks.class);
        if (checks == null || thrown instanceof TestAbortedException) {
            throw thrown;
        }
        String found = String.valueOf(thrown instanceof Broken ? thrown.getMessage() : thrown);
        throw new AssertionError(checks.value().broken(found), thrown);
    }
}
