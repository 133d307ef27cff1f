package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.OwnThread;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A service that is replaced instance by instance by one with a later version of the schema, while locks change hands. */
final class RollingDeploy {

    private static final List<String> NAMES = List.of("one", "two", "three");
    private static final int THREADS = 3;

    private RollingDeploy() {}

    /** Two old instances, two new ones that open at once, a late old one; then only new ones, and one that ends old clients. */
    static void run(VersionedDatabase database) throws Exception {
        History history = new History();
        long seed = System.nanoTime();
        try (LockStore old1 = database.store(database.first());
                LockStore old2 = database.store(database.first());
                Locks oldLocks1 = Opened.locks(old1);
                Locks oldLocks2 = Opened.locks(old2);
                Contenders old = new Contenders(history, NAMES, seed)) {
            old.begin("old 1", oldLocks1, THREADS);
            old.begin("old 2", oldLocks2, THREADS);
            old.awaitProgress("among old clients");
            CompletableFuture<LockStore> opening =
                    CompletableFuture.supplyAsync(() -> database.store(database.second()), OwnThread.EACH);
            try (LockStore new1 = database.store(database.second());
                    LockStore new2 = Await.result(opening);
                    Locks newLocks1 = Opened.locks(new1);
                    Locks newLocks2 = Opened.locks(new2);
                    Contenders newer = new Contenders(history, NAMES, seed + 1)) {
                newer.begin("new 1", newLocks1, THREADS);
                newer.begin("new 2", newLocks2, THREADS);
                newer.awaitProgress("among old and new clients");
                try (LockStore late = database.store(database.first());
                        Locks lateLocks = Opened.locks(late);
                        Contenders lateOld = new Contenders(history, NAMES, seed + 2)) {
                    lateOld.begin("late old", lateLocks, THREADS);
                    int before = holds(history, "late old");
                    Await.until("the late old client holds locks", () -> holds(history, "late old") > before + 9);
                    lateOld.end();
                    assertThat(failures(lateOld)).isEmpty();
                }
                old.end();
                newer.awaitProgress("after the old ones");
                database.store(database.third()).close();
                assertThatThrownBy(() -> database.store(database.first()))
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessage("the tables of Holdfast cannot be used: they are of version "
                                + database.third().version() + " and serve clients of version "
                                + database.second().version() + " or newer, and this Holdfast is of version "
                                + database.first().version()
                                + ": use a newer one here; Holdfast changes only tables that it knows");
                database.store(database.second()).close();
                newer.awaitProgress("with the third version");
                newer.end();
                assertThat(failures(newer)).isEmpty();
            }
            assertThat(failures(old)).isEmpty();
        } catch (AssertionError e) {
            throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
        }
        history.verify(4 * NAMES.size());
    }

    /** What the store refused; on a busy machine a database that one process writes at a time may be slow, which is no failure. */
    private static List<LockUnavailableException> failures(Contenders contenders) {
        return contenders.unavailable().stream()
                .filter(each -> each.getCause() != null)
                .toList();
    }

    private static int holds(History history, String instance) {
        int holds = 0;
        for (int thread = 1; thread <= THREADS; thread++) {
            holds += history.holdsOf(instance + "-" + thread).size();
        }
        return holds;
    }
}
