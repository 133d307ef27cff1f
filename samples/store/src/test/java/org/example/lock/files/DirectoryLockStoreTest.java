package org.example.lock.files;

import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.LockStoreContract;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The kit on a directory of files. */
class DirectoryLockStoreTest extends LockStoreContract {

    @TempDir
    static Path all;

    @TempDir
    static Path links;

    @Override
    protected Properties configuration() {
        return in(all);
    }

    private static Properties in(Path directory) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "files");
        properties.setProperty("lock.files.directory", directory.toString());
        return properties;
    }

    /** A symbolic link to the directory, redirected while the connection is broken. */
    @Override
    protected BreakableConnection breakableConnection() {
        Path link = links.resolve("link-" + UUID.randomUUID());
        List<FileMutex> locked = new ArrayList<>();
        List<Path> mutexes = new ArrayList<>();
        redirect(link, all);
        return new BreakableConnection() {
            @Override
            public Properties configuration() {
                return in(link);
            }

            @Override
            public void cut() {
                redirect(link, links.resolve("nowhere"));
            }

            /** As if another process had locked the directory for ever. */
            @Override
            public void silence() {
                attempt(() -> {
                    Path busy = Files.createTempDirectory(links.toRealPath(), "busy");
                    try (DirectoryStream<Path> namespaces = Files.newDirectoryStream(all)) {
                        for (Path namespace : namespaces) {
                            Path mutex = Files.createDirectory(busy.resolve(namespace.getFileName()))
                                    .resolve("mutex");
                            locked.add(FileMutex.lock(Files.createFile(mutex), patience()));
                            mutexes.add(mutex);
                        }
                    }
                    return redirect(link, busy);
                });
            }

            /** Deletes the busy directory, so that a command that waits there fails, and is not executed in it. */
            @Override
            public void heal() {
                redirect(link, all);
                mutexes.forEach(mutex -> attempt(() -> {
                    Files.delete(mutex);
                    Files.delete(mutex.getParent());
                    return mutex;
                }));
                mutexes.clear();
                locked.forEach(mutex -> attempt(() -> {
                    mutex.close();
                    return mutex;
                }));
                locked.clear();
            }

            @Override
            public void close() {
                heal();
                attempt(() -> Files.deleteIfExists(link));
            }
        };
    }

    private static Path redirect(Path link, Path target) {
        return attempt(() -> {
            Files.deleteIfExists(link);
            return Files.createSymbolicLink(link, target);
        });
    }

    @Override
    protected void restart() {
        throw notPossible("there is no server: the store rereads everything for each command");
    }

    /** Has the effect of a clock set back: the last token is ahead of the clock. */
    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        attempt(() -> {
            Instant later = Instant.now().plus(by);
            try (LockDirectory directory = LockDirectory.enter(LockDirectory.of(all, namespace), patience())) {
                return directory.nextToken(0, later);
            }
        });
    }

    /** Opening a store sweeps the directory. */
    @Override
    protected void prune(Namespace namespace) {
        attempt(() -> LockDirectory.create(all, namespace, patience()));
    }

    @Override
    protected long namesKept(Namespace namespace) {
        return attempt(() -> {
            try (Stream<Path> files = Files.list(LockDirectory.of(all, namespace))) {
                return files.filter(file -> file.toString().endsWith(".lock")).count();
            }
        });
    }

    private static <T> T attempt(Callable<T> what) {
        try {
            return what.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
