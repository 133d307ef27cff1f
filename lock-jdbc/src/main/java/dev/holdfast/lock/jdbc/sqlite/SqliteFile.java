package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.DriverSource;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.connection.Pool;
import dev.holdfast.lock.spi.Deadline;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A SQLite file of our own: opened, made if it is absent, and set to write ahead and to the disk. */
public final class SqliteFile {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** SQLITE_OPEN_READWRITE. */
    private static final String READ_WRITE_NO_CREATE = "2";

    private SqliteFile() {}

    /**
     * Opens the file, and makes it if it is absent.
     *
     * @throws LockConfigurationException if its directory cannot be made
     * @throws SQLException if it cannot be opened
     */
    public static Connections open(JdbcUrl url, Path file, int poolSize, Deadline deadline) throws SQLException {
        makeDirectory(file);
        Connections connections = pool(url, poolSize, deadline, new Properties());
        try {
            if (!isWriteAhead(connections, deadline, "PRAGMA journal_mode")) {
                Setup.alone(Optional.of(file), deadline, () -> writeAhead(connections, deadline));
            }
            return connections;
        } catch (SQLException | RuntimeException e) {
            connections.close();
            throw e;
        }
    }

    /**
     * Opens the file as it is, to look into it.
     *
     * @throws SQLException if it is absent or cannot be opened
     */
    public static Connections openExisting(JdbcUrl url, int poolSize, Deadline deadline) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("open_mode", READ_WRITE_NO_CREATE);
        return pool(url, poolSize, deadline, properties);
    }

    private static Connections pool(JdbcUrl url, int poolSize, Deadline deadline, Properties properties)
            throws SQLException {
        properties.setProperty("busy_timeout", Integer.toString(Math.max(1, deadline.millisLeft())));
        properties.setProperty("synchronous", "FULL");
        return new Pool(new DriverSource(url.value(), properties), poolSize, null, deadline);
    }

    private static void makeDirectory(Path file) {
        Path directory = file.getParent();
        if (directory == null || Files.isDirectory(directory)) {
            return;
        }
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] ownerOnly = posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
        try {
            Files.createDirectories(directory, ownerOnly);
        } catch (IOException e) {
            throw new LockConfigurationException("cannot make the directory " + directory + " for " + file, e);
        }
    }

    /** Changes the journal, which needs a moment without any reader: SQLite does not wait for it by itself. */
    private static void writeAhead(Connections connections, Deadline deadline) throws SQLException {
        while (true) {
            try {
                if (isWriteAhead(connections, deadline, "PRAGMA journal_mode = WAL")) {
                    return;
                }
                throw new LockConfigurationException("SQLite cannot write ahead on this file system");
            } catch (SQLException e) {
                if (!Failures.isBusyFile(e) || deadline.isOver()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static boolean isWriteAhead(Connections connections, Deadline deadline, String pragma) throws SQLException {
        return connections.with(deadline, connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet mode = statement.executeQuery(pragma)) {
                return mode.next() && mode.getString(1).equals("wal");
            }
        });
    }
}
