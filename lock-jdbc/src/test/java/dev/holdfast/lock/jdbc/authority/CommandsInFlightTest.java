package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.authority.Authority.REPLICATION_ID;
import static dev.holdfast.lock.jdbc.authority.Authority.assertStale;
import static dev.holdfast.lock.jdbc.authority.Authority.carried;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.ManyThreads;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A transition waits for the commands of the state that it ends. */
@Tag("first-build")
class CommandsInFlightTest extends ManyThreads {

    @Test
    void beginFailback_waitsForAGrantInFlightAndListsIt() throws Exception {
        try (Authority authority = Authority.founded(database);
                Connection stranger = database.connect()) {
            AcquisitionId first = id();
            authority.granted(1, acquire("slow", first));
            authority.ask(1, release("slow", first));
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'slow' FOR UPDATE");

            AcquisitionId slow = id();
            Future<LockReply> granted = threads.submit(() -> authority.ask(1, acquire("slow", slow)));
            awaitWaiting("transactionid");
            Future<Boolean> prepared =
                    threads.submit(() -> authority.change(new Transition.BeginFailback(1, REPLICATION_ID)));
            awaitWaiting("advisory");
            Future<LockReply> tooLate = threads.submit(() -> authority.ask(1, acquire("late", id())));
            awaitWaiting("advisory", 2);
            assertThat(database.value("SELECT max(epoch) FROM holdfast_authority_state"))
                    .isEqualTo("1");
            stranger.rollback();

            assertThat(granted.get()).isInstanceOf(LockReply.Granted.class);
            assertThat(prepared.get()).isTrue();
            assertStale(tooLate.get(), "FAILING_BACK of epoch 2");
            assertThat(authority.held(2)).extracting(TransferredLease::id).containsExactly(slow);
            assertThat(authority.state().tokenBase()).isEqualTo(((LockReply.Granted) granted.get()).token());
        }
    }

    @Test
    void activateFallback_waitsForAnAssertionInFlight() throws Exception {
        try (Authority authority = Authority.founded(database);
                Connection stranger = database.connect()) {
            long epoch = authority.drain().epoch();
            authority.assertOne(epoch, carried("slow", id(), 5));
            database.execute("UPDATE holdfast_lock SET expires_at = now() - interval '1 second'");
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'slow' FOR UPDATE");
            AcquisitionId survivor = id();
            Future<LockReply> asserted = threads.submit(() -> authority.assertOne(epoch, carried("slow", survivor, 6)));
            awaitWaiting("transactionid");
            Future<Boolean> opened = threads.submit(() -> authority.change(new Transition.ActivateFallback(epoch)));
            awaitWaiting("advisory");
            stranger.rollback();
            assertThat(asserted.get()).isEqualTo(new LockReply.Granted(6, LEASE));
            assertThat(opened.get()).isTrue();
            assertThat(authority.ask(epoch, acquire("slow", id()))).isInstanceOf(LockReply.Busy.class);
        }
    }

    private void awaitWaiting(String what) {
        awaitWaiting(what, 1);
    }

    private void awaitWaiting(String what, int howMany) {
        Await.until(
                howMany + " wait: " + what,
                () -> database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND wait_event_type = 'Lock' AND wait_event = '" + what + "'")
                        .equals(Integer.toString(howMany)));
    }
}
