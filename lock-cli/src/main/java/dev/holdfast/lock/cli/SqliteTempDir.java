package dev.holdfast.lock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A temporary folder for the native library of the SQLite driver, unless the launcher names one in which it is unpacked already. The
 * driver unpacks a megabyte into a file, loads it, and deletes the file when the process ends; a process killed with SIGKILL would leave
 * the file behind. A loaded library no longer needs its file, so this folder is deleted as soon as the store is open.
 */
final class SqliteTempDir {

    /** The system property for the folder into which the driver unpacks. */
    static final String PROPERTY = "org.sqlite.tmpdir";

    /** The system property for a folder with the library; the driver unpacks one only if it cannot load that. */
    static final String LIBRARY_FOLDER = "org.sqlite.lib.path";

    private SqliteTempDir() {}

    /**
     * Opens a store of any kind, while the driver unpacks into a separate folder.
     *
     * @param opening called once
     */
    static <T> T whileOpening(Supplier<T> opening) {
        if (System.getProperty(LIBRARY_FOLDER) != null) {
            return opening.get();
        }
        String configured = System.getProperty(PROPERTY);
        Optional<Path> own = create(Path.of(configured == null ? System.getProperty("java.io.tmpdir") : configured));
        if (own.isEmpty()) {
            return opening.get();
        }
        System.setProperty(PROPERTY, own.get().toString());
        try {
            return opening.get();
        } finally {
            restore(configured);
            delete(own.get());
        }
    }

    /** Empty if no folder can be created: only SQLite needs one, and its driver reports the reason. */
    private static Optional<Path> create(Path parent) {
        try {
            Path own = Files.createTempDirectory(parent, "holdfast-sqlite-");
            own.toFile().deleteOnExit(); // after the driver's files in it, if this process ends meanwhile
            return Optional.of(own);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void restore(@Nullable String configured) {
        if (configured == null) {
            System.clearProperty(PROPERTY);
        } else {
            System.setProperty(PROPERTY, configured);
        }
    }

    private static void delete(Path own) {
        try (Stream<Path> all = Files.walk(own)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            // On a system that cannot delete a loaded library, the driver deletes it when the process ends.
        }
    }
}
