package dev.holdfast.lock.spring;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The names whose fence a transaction has entered. Each is a row that stays locked until the transaction ends; a second transaction
 * of the same thread that enters it would wait for the first, which it suspends, and the database cannot see that.
 *
 * <p>Loaded only if spring-tx is present.
 */
final class FencedTransaction implements TransactionSynchronization {

    private static final ThreadLocal<@Nullable Map<String, FencedTransaction>> ENTERED = new ThreadLocal<>();

    private final Map<String, FencedTransaction> entered;

    private FencedTransaction(Map<String, FencedTransaction> entered) {
        this.entered = entered;
    }

    /** The names of the active transaction. */
    static FencedTransaction current() {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof FencedTransaction fenced) {
                return fenced;
            }
        }
        Map<String, FencedTransaction> entered = ENTERED.get();
        if (entered == null) {
            entered = new ConcurrentHashMap<>(); // a transaction may end on another thread
            ENTERED.set(entered);
        }
        FencedTransaction fenced = new FencedTransaction(entered);
        TransactionSynchronizationManager.registerSynchronization(fenced);
        return fenced;
    }

    /**
     * Notes that this transaction enters the fence of these names.
     *
     * @throws IllegalStateException if a suspended transaction of this thread has entered one of them
     */
    void enter(Collection<String> names, LockedMethod method) {
        for (String name : names) {
            FencedTransaction before = entered.putIfAbsent(name, this);
            if (before != null && before != this) {
                throw new IllegalStateException(method
                        + ": the transaction that this call suspends has entered the fence"
                        + " of '" + name + "', and this one would wait for it for ever. Give the method propagation"
                        + " REQUIRED, or call it outside of that transaction");
            }
        }
    }

    @Override
    public void afterCompletion(int status) {
        entered.values().removeIf(each -> each == this);
        if (entered.isEmpty() && ENTERED.get() == entered) {
            ENTERED.remove();
        }
    }
}
