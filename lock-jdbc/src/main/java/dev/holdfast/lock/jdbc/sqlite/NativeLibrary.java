package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/**
 * The native library of the driver, which the driver unpacks into a temporary directory and loads from there. If that fails, the
 * driver logs why, and throws an exception that does not say it.
 */
final class NativeLibrary {

    private static final String NOT_LOADED = "No native library found";

    private NativeLibrary() {}

    /**
     * Returns if the library was loaded.
     *
     * @param failure of the driver
     * @throws LockConfigurationException which says what keeps it from being loaded
     */
    static void requireLoaded(JdbcUrl url, SQLException failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (String.valueOf(at.getMessage()).contains(NOT_LOADED)) {
                Path directory = Path.of(System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir")));
                throw new LockConfigurationException(
                        "cannot open " + url + ": SQLite's driver cannot load its native library from " + directory
                                + ", "
                                + obstacle(directory)
                                + ": name a directory from which libraries may be loaded by -Dorg.sqlite.tmpdir=DIRECTORY",
                        failure);
            }
        }
    }

    private static String obstacle(Path directory) {
        if (!Files.isDirectory(directory)) {
            return "which is no directory";
        }
        try {
            Path file = Files.createTempFile(directory, "holdfast", "");
            try {
                return file.toFile().setExecutable(true) && Files.isExecutable(file)
                        ? "and has logged why"
                        : "which is mounted with noexec";
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            return "to which it cannot write (" + e + ")";
        }
    }
}
