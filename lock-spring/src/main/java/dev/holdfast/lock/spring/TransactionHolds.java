package dev.holdfast.lock.spring;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Binds holds to transactions: a hold lasts until the end of the transaction, and is checked before the commit. As a listener
 * of a transaction manager, it does so for each transaction that begins inside a {@link Locked} method.
 *
 * <p>Loaded only if spring-tx is present.
 */
final class TransactionHolds implements TransactionExecutionListener {

    private static final ThreadLocal<@Nullable List<LockHold>> BOUND = new ThreadLocal<>();

    /** Whether a transaction is active on this thread to which a hold can be bound. */
    static boolean isTransactionActive() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** The holds that are bound to transactions of this thread, suspended ones included. */
    static List<LockHold> ofThread() {
        List<LockHold> bound = BOUND.get();
        return bound == null ? List.of() : bound;
    }

    /** Whether any holds are bound to transactions of this thread. */
    static boolean areOnThread() {
        return BOUND.get() != null;
    }

    /** Binds this hold to the active transaction, unless it is bound already. */
    static void bind(LockHold hold) {
        bind(hold, false);
    }

    /** Whether the active transaction began while this hold was held by a method. */
    static boolean beganUnder(LockHold hold) {
        HoldSynchronization bound = bound(hold);
        return bound != null && bound.beganUnder;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure != null || LockScope.current() == null || !isTransactionActive()) {
            return;
        }
        for (LockScope scope = LockScope.current(); scope != null; scope = scope.outer()) {
            for (LockHold hold : scope.holds()) {
                bind(hold, transaction.isNewTransaction()); // and not a savepoint in one
            }
        }
    }

    private static void bind(LockHold hold, boolean began) {
        if (bound(hold) == null && hold.retain()) {
            List<LockHold> ofThread = BOUND.get();
            if (ofThread == null) {
                ofThread = new CopyOnWriteArrayList<>(); // a transaction may end on another thread
                BOUND.set(ofThread);
            }
            ofThread.add(hold);
            TransactionSynchronizationManager.registerSynchronization(new HoldSynchronization(hold, began, ofThread));
        }
    }

    private static @Nullable HoldSynchronization bound(LockHold hold) {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof HoldSynchronization bound && bound.hold == hold) {
                return bound;
            }
        }
        return null;
    }

    /** Comes last before the commit, as its order is the lowest: the work of others at that point is still under the lock. */
    private static final class HoldSynchronization implements TransactionSynchronization {
        private final LockHold hold;
        private final boolean beganUnder;
        private final List<LockHold> ofThread;

        HoldSynchronization(LockHold hold, boolean beganUnder, List<LockHold> ofThread) {
            this.hold = hold;
            this.beganUnder = beganUnder;
            this.ofThread = ofThread;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            hold.locks().ensureHeld();
        }

        @Override
        public void afterCompletion(int status) {
            ofThread.remove(hold);
            if (ofThread.isEmpty() && BOUND.get() == ofThread) {
                BOUND.remove();
            }
            hold.release();
        }
    }
}
