package dev.holdfast.samples.shop;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.Locked;
import java.time.Duration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** A counter in both orders of lock and transaction. */
@Service
class Counter {

    private final JdbcTemplate database;
    private final Locks locks;

    Counter(JdbcTemplate database, Locks locks) {
        this.database = database;
        this.locks = locks;
    }

    /** The lock outside, the transaction inside: this transaction has been committed when the next holder reads. */
    @Locked("counter:right")
    @Transactional
    public void countRight() {
        increment("right");
    }

    /**
     * <b>Wrong:</b> the transaction outside, the lock inside. The lock is free before the transaction is committed, so the next
     * holder reads the old value. {@code @Locked} does not allow this mistake; a lock by hand does.
     */
    @Transactional
    public void countWrong() throws InterruptedException {
        locks.named("counter:wrong").run(() -> increment("wrong"));
        Thread.sleep(Duration.ofMillis(20).toMillis()); // other work of the transaction
    }

    private void increment(String name) {
        database.update("update counter set value = ? where name = ?", value(name) + 1, name);
    }

    int value(String name) {
        Integer value = database.queryForObject("select value from counter where name = ?", Integer.class, name);
        return value == null ? 0 : value;
    }
}
