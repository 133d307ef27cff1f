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

    /** The lock outside, the transaction inside: when the next holder reads, this transaction is committed. */
    @Locked("counter:right")
    @Transactional
    public void countRight() {
        increment("right");
    }

    /**
     * <b>Wrong:</b> the transaction outside, the lock inside. The lock is free again before the transaction is committed, and the
     * next holder reads the value from before. {@code @Locked} does not allow this mistake; a lock by hand does.
     */
    @Transactional
    public void countWrong() throws InterruptedException {
        locks.named("counter:wrong").run(() -> increment("wrong"));
        Thread.sleep(Duration.ofMillis(20).toMillis()); // what else the transaction does
    }

    private void increment(String name) {
        database.update("update counter set value = ? where name = ?", value(name) + 1, name);
    }

    int value(String name) {
        Integer value = database.queryForObject("select value from counter where name = ?", Integer.class, name);
        return value == null ? 0 : value;
    }
}
