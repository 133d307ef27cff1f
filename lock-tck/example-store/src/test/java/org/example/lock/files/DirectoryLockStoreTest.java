package org.example.lock.files;

import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.BreakableWay;
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

/** A directory of files passes the kit. */
class DirectoryLockStoreTest extends LockStoreContract {

    @TempDir
    static Path all;

    @TempDir
    static Path ways;

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

    /** Another name of the directory, which leads elsewhere while it is broken. */
    @Override
    protected BreakableWay breakableWay() {
        Path link = ways.resolve("way-" + UUID.randomUUID());
        List<Turn> taken = new ArrayList<>();
        lead(link, all);
        return new BreakableWay() {
            @Override
            public Properties configuration() {
                return in(link);
            }

            @Override
            public void cut() {
                lead(link, ways.resolve("nowhere"));
            }

            /** As if somebody had entered and never left. */
            @Override
            public void silence() {
                attempt(() -> {
                    Path busy = Files.createTempDirectory(ways.toRealPath(), "busy");
                    try (DirectoryStream<Path> namespaces = Files.newDirectoryStream(all)) {
                        for (Path namespace : namespaces) {
                            Path turn = Files.createDirectory(busy.resolve(namespace.getFileName()))
                                    .resolve("turn");
                            taken.add(Turn.take(Files.createFile(turn), patience()));
                        }
                    }
                    return lead(link, busy);
                });
            }

            @Override
            public void heal() {
                taken.forEach(turn -> attempt(() -> {
                    turn.close();
                    return turn;
                }));
                taken.clear();
                lead(link, all);
            }

            @Override
            public void close() {
                heal();
                attempt(() -> Files.deleteIfExists(link));
            }
        };
    }

    private static Path lead(Path link, Path target) {
        return attempt(() -> {
            Files.deleteIfExists(link);
            return Files.createSymbolicLink(link, target);
        });
    }

    @Override
    protected void restart() {
        throw notPossible("there is no server: the store reads everything anew at each step");
    }

    /** The same as a clock that is set back: the last token is later than it was. */
    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        attempt(() -> {
            Instant later = Instant.now().plus(by);
            try (LockDirectory directory = LockDirectory.enter(LockDirectory.of(all, namespace), patience())) {
                return directory.nextToken(0, later);
            }
        });
    }

    /** A store sweeps when it is opened. */
    @Override
    protected void prune(Namespace namespace) {
        attempt(() -> LockDirectory.make(all, namespace, patience()));
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
