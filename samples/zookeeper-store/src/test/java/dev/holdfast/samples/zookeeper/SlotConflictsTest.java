package dev.holdfast.samples.zookeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand.Acquire;
import dev.holdfast.lock.spi.LockCommand.Release;
import dev.holdfast.lock.spi.LockCommand.Renew;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockReply.Granted;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of one slot, which the kit does not cover: a command on one must not undo a command on another. */
@Tag("second-build")
class SlotConflictsTest {

    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final int ROUNDS = 10;

    /** They have the same hash, so their locks are in the same slot. */
    private static final List<LockName> NAMES =
            Stream.of("AaAa", "AaBB", "BBAa", "BBBB").map(LockName::new).toList();

    @TempDir
    Path files;

    private final List<ZooKeeperLockStore> stores = new ArrayList<>();
    private ZooKeeperTestServer server;
    private ExecutorService threads;

    @BeforeEach
    void open() throws Exception {
        server = new ZooKeeperTestServer(files);
        threads = Executors.newFixedThreadPool(NAMES.size());
        for (int i = 0; i < NAMES.size(); i++) {
            ZooKeeperConnection connection =
                    new ZooKeeperConnection("127.0.0.1:" + server.address().getPort(), TIMEOUT);
            stores.add(new ZooKeeperLockStore(connection, new Namespace("test")));
            stores.get(i).create(TIMEOUT);
        }
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        stores.forEach(ZooKeeperLockStore::close);
        server.close();
    }

    @Test
    void acquire_ofNeighboursAtOnce_keepsEachGrant() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            List<LockReply> grants = acquireAtOnce(round);
            for (int i = 0; i < NAMES.size(); i++) {
                Granted grant = assertInstanceOf(Granted.class, grants.get(i));
                LockReply renewed = stores.get(i).renew(new Renew(NAMES.get(i), id(round, i), LEASE), TIMEOUT);
                assertEquals(
                        grant.token(), assertInstanceOf(Granted.class, renewed).token());
                stores.get(i).release(new Release(NAMES.get(i), id(round, i), Duration.ZERO, Duration.ZERO), TIMEOUT);
            }
        }
    }

    /** Each store acquires a different lock. */
    private List<LockReply> acquireAtOnce(int round) throws Exception {
        CyclicBarrier start = new CyclicBarrier(NAMES.size());
        List<Future<LockReply>> calls = new ArrayList<>();
        for (int i = 0; i < NAMES.size(); i++) {
            ZooKeeperLockStore store = stores.get(i);
            Acquire acquire = new Acquire(NAMES.get(i), id(round, i), LEASE, false, 0, "test");
            calls.add(threads.submit(() -> {
                start.await();
                return store.acquire(acquire, TIMEOUT);
            }));
        }
        List<LockReply> replies = new ArrayList<>();
        for (Future<LockReply> call : calls) {
            replies.add(call.get());
        }
        return replies;
    }

    private static AcquisitionId id(int round, int i) {
        return new AcquisitionId(round, i);
    }
}
