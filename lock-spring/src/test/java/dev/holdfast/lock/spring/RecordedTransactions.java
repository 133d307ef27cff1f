package dev.holdfast.lock.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A transaction manager without a database, which records whether a lock is free when a transaction begins and ends. */
final class RecordedTransactions extends AbstractPlatformTransactionManager {

    private static final long serialVersionUID = 1L;

    private final transient Probe probe;
    private final String name;
    private final transient List<String> events = new ArrayList<>();
    private transient Transaction active;

    /** @param name of the lock */
    RecordedTransactions(Probe probe, String name) {
        this.probe = probe;
        this.name = name;
    }

    /** What happened, in order. */
    List<String> events() {
        return events;
    }

    /** The same without the state of the lock: for a lease that ends by time, and at the store a moment after the holder's view. */
    List<String> kinds() {
        return events.stream()
                .map(event -> event.substring(0, event.indexOf(' ')))
                .toList();
    }

    private void record(String event) {
        events.add(event + (probe.isFree(name) ? " free" : " locked"));
    }

    @Override
    protected Object doGetTransaction() {
        return active == null ? new Transaction() : active;
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return active == transaction;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        record("begin");
        active = (Transaction) transaction;
    }

    @Override
    protected Object doSuspend(Object transaction) {
        active = null;
        return transaction;
    }

    @Override
    protected void doResume(Object transaction, Object suspended) {
        active = (Transaction) suspended;
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        record("commit");
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        record("rollback");
    }

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {
        events.add("rollback only");
    }

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        active = null;
    }

    private static final class Transaction {}
}
