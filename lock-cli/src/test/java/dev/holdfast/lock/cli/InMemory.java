package dev.holdfast.lock.cli;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests on a store within this process, which the subcommands find by a file of the test's own. */
abstract class InMemory {

    @TempDir
    Path folder;

    String config;

    private final Properties properties = new Properties();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @BeforeEach
    void configure() throws IOException {
        properties.setProperty("lock.provider", "memory");
        properties.setProperty("lock.namespace", UUID.randomUUID().toString());
        Path file = folder.resolve("memory.properties");
        try (var writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        }
        config = file.toString();
    }

    @AfterEach
    void closeWhatIsOpen() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    /** Another process, as the store sees it. */
    Locks locks() {
        Locks locks = Locks.open(properties);
        opened.add(locks);
        return locks;
    }

    /** Held by a process of its own. */
    Lease held(String name) {
        return locks().named(name).tryAcquire().orElseThrow();
    }

    /** Waited for by a process of its own, from when this returns. */
    CompletableFuture<Lease> waitedFor(String name) throws Exception {
        int before = waiters(name);
        CompletableFuture<Lease> waiting = locks().named(name).acquireAsync();
        Await.until("one more waits", () -> waiters(name) > before);
        return waiting;
    }

    private int waiters(String name) {
        return shown(name).stream().mapToInt(lock -> lock.waiters().size()).sum();
    }

    List<LockInfo> shown(String name) {
        try (LockAdmin admin = LockAdmin.of(properties);
                Stream<LockInfo> locks = admin.locks(name)) {
            return locks.toList();
        }
    }

    /** The configuration, with these lines as well. */
    void configured(String lines) {
        try {
            Files.writeString(Path.of(config), Files.readString(Path.of(config)) + lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
