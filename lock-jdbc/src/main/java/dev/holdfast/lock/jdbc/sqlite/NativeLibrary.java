package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/**
 * The native library of the driver, which the driver unpacks into a temporary directory and loads from there. If that fails, the
 * driver logs the reason, and throws an exception without it.
 */
final class NativeLibrary {

    private static final String NOT_LOADED = "No native library found";

    private NativeLibrary() {}

    /**
     * Checks that the library was loaded.
     *
     * @param failure of the driver
     * @throws LockConfigurationException if it was not, with the reason
     */
    static void requireLoaded(JdbcUrl url, SQLException failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (String.valueOf(at.getMessage()).contains(NOT_LOADED)) {
                Path directory = Path.of(System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir")));
                throw new LockConfigurationException(
                        "cannot open " + url + ": SQLite's driver cannot load its native library from " + directory
                                + ", "
                                + obstacle(directory)
                                + ": set -Dorg.sqlite.tmpdir=DIRECTORY to a directory from which libraries may be loaded",
                        failure);
            }
        }
    }

    private static String obstacle(Path directory) {
        if (!Files.isDirectory(directory)) {
            return "which is not a directory";
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
