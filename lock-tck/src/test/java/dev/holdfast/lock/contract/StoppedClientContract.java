package dev.holdfast.lock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import dev.holdfast.lock.testing.Seeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client process that is stopped (SIGSTOP) at any moment of its calls, as a frozen container or a suspended machine is: others
 * get its lock when its lease is over, other locks are not affected, and when it goes on it does not believe that it holds a lock.
 */
@Timeout(600)
public abstract class StoppedClientContract {

    private static final int STOPS = 3 * Integer.getInteger("lock.test.scale", 1);
    private static final int BYSTANDERS = 20;
    private static final String NAME = "stopped";

    @TempDir
    Path directory;

    /** How the locks are opened, but for the lengths of leases and calls. */
    protected abstract Properties settings();

    private Properties settings(String lease, String callTimeout) {
        Properties all = new Properties();
        all.putAll(settings());
        all.setProperty("lock.lease", lease);
        all.setProperty("lock.call-timeout", callTimeout);
        return all;
    }

    @Test
    void locks_whenAClientIsStoppedInTheMiddleOfItsCalls_areGrantedToOthersAndToNoTwo() throws Exception {
        Seeds.run(Seeds.any(), seed -> stopRepeatedly(new Random(seed)));
    }

    private void stopRepeatedly(Random random) throws Exception {
        History history = new History(directory);
        List<String> lost = new CopyOnWriteArrayList<>();
        try (Locks others = LocksOpener.open(settings("1m", "10s"));
                Claims claims = history.claimsOf("others");
                ContenderProcess client = ContenderProcess.start(
                        "client", directory, history, settings("2s", "600ms"), List.of(NAME), random.nextLong())) {
            client.awaitReady();
            others.addListener(new LockListener() {
                @Override
                public void lost(
                        String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
                    lost.add(name + ": " + loss.getMessage());
                }
            });
            List<Lease> held = new ArrayList<>();
            for (int bystander = 0; bystander < BYSTANDERS; bystander++) {
                held.add(acquire(others, "bystander:" + bystander));
            }
            for (int stop = 0; stop < STOPS; stop++) {
                int before = history.holdsOf("client").size();
                Await.until(
                        "the client holds locks",
                        () -> history.holdsOf("client").size() > before + 2);
                LockSupport.parkNanos(random.nextInt(10_000_000));
                client.signal("STOP");
                try (Lease lease = acquire(others, NAME)) {
                    claims.hold(lease);
                } finally {
                    client.signal("CONT");
                }
            }
            client.end();
            assertThat(lost).isEmpty();
            held.forEach(Lease::close);
        }
        assertThat(history.violations()).isEmpty();
        history.verify(STOPS * 3);
    }

    /** A client that keeps what it locked at the server keeps it for hours: the limit is to tell that from a lease. */
    private static Lease acquire(Locks locks, String name) throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            try {
                return locks.named(name).acquire(Await.HANG);
            } catch (LockUnavailableException | LockTimeoutException e) {
                if (System.nanoTime() - start > Await.HANG.toNanos()) {
                    throw new AssertionError(name + " is not granted while another client is stopped", e);
                }
            }
        }
    }
}
