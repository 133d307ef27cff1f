package dev.holdfast.lock.cli;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** Base of tests on a store within this process, in which other clients hold locks and wait for them. */
abstract class MemoryCliTestBase extends CliTestBase {

    private final List<AutoCloseable> clients = new ArrayList<>();

    @Override
    String store() {
        return "lock.provider=memory\nlock.namespace=" + UUID.randomUUID() + "\n";
    }

    @AfterEach
    void closeClients() throws Exception {
        for (AutoCloseable client : clients) {
            client.close();
        }
    }

    /** A new client; to the store, another process. */
    Locks newClient() {
        Locks client = Locks.open(config);
        clients.add(client);
        return client;
    }

    /** Has a new client hold a lock. */
    Lease hold(String name) {
        return newClient().named(name).tryAcquire().orElseThrow();
    }

    /** Has a new client wait for a lock; it waits when this returns. */
    CompletableFuture<Lease> waitFor(String name) throws Exception {
        return waitFor(newClient().named(name));
    }

    /** The same for a view of a lock. */
    CompletableFuture<Lease> waitFor(DistributedLock lock) throws Exception {
        int before = waiters(lock.name());
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        Await.until("one more waits", () -> waiters(lock.name()) > before);
        return waiting;
    }

    private int waiters(String name) {
        return listed(name).stream().mapToInt(lock -> lock.waiters().size()).sum();
    }

    List<LockInfo> listed(String prefix) {
        try (LockAdmin admin = LockAdmin.of(config);
                Stream<LockInfo> locks = admin.locks(prefix)) {
            return locks.toList();
        }
    }

    /** Adds lines to the configuration. */
    void configure(String lines) {
        try {
            Files.writeString(config, lines, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
