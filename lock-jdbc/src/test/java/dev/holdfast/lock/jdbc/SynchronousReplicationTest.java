package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replies and notifications of a commit whose wait for a standby lasts, or was cancelled. */
@Tag("second-build")
class SynchronousReplicationTest extends MissingStandby {

    @Test
    void grant_whenStandbyWaitWasCancelled_isUnconfirmed() throws Exception {
        database.execute("ALTER DATABASE " + database.name()
                + " SET client_min_messages = error"); // no warning, said the operator
        try (LockStore store = Opened.store(database.settings())) {
            isUnconfirmedWhenCancelled(store, acquire("a", id()), LockReply.Granted.class);
        }
    }

    @Test
    void grant_onApplicationsDataSourceWhenStandbyWaitWasCancelled_isUnconfirmed() throws Exception {
        try (HikariDataSource source = new HikariDataSource(ApplicationPool.of(database));
                LockStore store = Opened.on(source, new Namespace("callers"))) {
            isUnconfirmedWhenCancelled(store, acquire("a", id()), LockReply.Granted.class);
        }
    }

    @Test
    void minimumHold_whenStandbyWaitWasCancelled_isUnconfirmed() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId id = id();
            granted(store, acquire("a", id));
            isUnconfirmedWhenCancelled(
                    store, release("a", id, Duration.ofHours(1), Duration.ZERO), LockReply.Released.class);
        }
    }

    private void isUnconfirmedWhenCancelled(LockStore store, LockCommand command, Class<? extends LockReply> confirmed)
            throws Exception {
        takeStandbyAway();
        Future<LockReply> cancelled = waits(() -> ask(store, command));
        cancel();
        assertThatThrownBy(cancelled::get)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("the wait for a synchronous standby was cancelled");

        Future<LockReply> again = waits(() -> ask(store, command));
        assertThat(again).isNotDone();
        letStandbyBe(false);
        assertThat(again.get()).isInstanceOf(confirmed);
    }

    /** One holds "a", the other waits for it, and hears; then the standby goes. */
    private void withoutStandbyAfterOneWaits(
            LockStore store, ReceivedNotifications heard, AcquisitionId holder, AcquisitionId waiter) throws Exception {
        store.subscribe(heard);
        heard.awaitAny();
        granted(store, acquire("a", holder));
        waiting(store, queue("a", waiter));
        takeStandbyAway();
    }

    @Test
    void release_inAnUnconfirmedBatch_notifiesTheWaiter() throws Exception {
        ReceivedNotifications heard = new ReceivedNotifications();
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            withoutStandbyAfterOneWaits(store, heard, holder, waiter);

            Future<?> batch = waits(() -> store.execute(List.of(release("a", holder), acquire("b", id())), CALL));
            cancel();
            assertThatThrownBy(batch::get).hasMessageContaining("cancelled");
            heard.awaitTurn("a", waiter);
        }
    }

    @Test
    void transition_whenUnconfirmed_notifiesWaiters() throws Exception {
        ReceivedNotifications heard = new ReceivedNotifications();
        try (AuthorityStore authority = Opened.authority("app", database.settings())) {
            authority.initialize(Duration.ofSeconds(10), 0, CALL);
            authority.subscribe(heard);
            heard.awaitAny();
            int before = heard.count();
            takeStandbyAway();

            Future<?> change =
                    waits(() -> authority.transition(new Transition.BeginFailback(1, "replication-id"), CALL));
            cancel();
            assertThatThrownBy(change::get).hasMessageContaining("cancelled");
            heard.await(Notification.ANY, before);
        }
    }

    @Test
    void batch_whileItWaitsForAStandby_letsOthersNotify() throws Exception {
        ReceivedNotifications heard = new ReceivedNotifications();
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            withoutStandbyAfterOneWaits(store, heard, holder, waiter);

            Future<?> batch = waits(() -> store.execute(List.of(release("a", holder), acquire("b", id())), CALL));
            notifies();
            letStandbyBe(false);
            batch.get();
            heard.awaitTurn("a", waiter);
        }
    }

    @Test
    void transition_whileItWaitsForAStandby_letsOthersNotify() throws Exception {
        ReceivedNotifications heard = new ReceivedNotifications();
        try (AuthorityStore authority = Opened.authority("app", database.settings())) {
            authority.initialize(Duration.ofSeconds(10), 0, CALL);
            authority.subscribe(heard);
            heard.awaitAny();
            int before = heard.count();
            takeStandbyAway();

            Future<Boolean> change =
                    waits(() -> authority.transition(new Transition.BeginFailback(1, "replication-id"), CALL));
            notifies();
            letStandbyBe(false);
            assertThat(change.get()).isTrue();
            heard.await(Notification.ANY, before);
        }
    }

    private void notifies() throws SQLException {
        database.execute("SET synchronous_commit = off; SET lock_timeout = '30s'; NOTIFY of_the_application");
    }
}
