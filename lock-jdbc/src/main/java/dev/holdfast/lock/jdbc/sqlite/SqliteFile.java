package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.DriverDataSource;
import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.spi.support.Deadline;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Opens the store's own SQLite file: creates it if it is absent, and enables write-ahead logging and synchronous writes. */
public final class SqliteFile {

    static final String DRIVER = "org.xerial:sqlite-jdbc";

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** SQLITE_OPEN_READWRITE. */
    private static final String READ_WRITE_NO_CREATE = "2";

    private SqliteFile() {}

    /**
     * Opens the file, and creates it if it is absent.
     *
     * @throws LockConfigurationException if its directory cannot be created, or this user may not write to the file
     * @throws SQLException if it cannot be opened
     */
    public static Connections open(JdbcUrl url, Path file, int poolSize, Deadline deadline) throws SQLException {
        createDirectory(file);
        requireWritable(file);
        Connections connections = openPool(url, poolSize, deadline, new Properties());
        try {
            if (!queryWriteAhead(connections, deadline, "PRAGMA journal_mode")) {
                SetupLock.runLocked(Optional.of(file), deadline, () -> enableWriteAhead(connections, deadline));
            }
            return connections;
        } catch (SQLException | RuntimeException e) {
            connections.close();
            throw e;
        }
    }

    /**
     * Opens an existing file.
     *
     * @throws LockConfigurationException if this user may not write to it
     * @throws SQLException if it is absent or cannot be opened
     */
    public static Connections openExisting(JdbcUrl url, Path file, int poolSize, Deadline deadline)
            throws SQLException {
        requireWritable(file);
        Properties properties = new Properties();
        properties.setProperty("open_mode", READ_WRITE_NO_CREATE);
        return openPool(url, poolSize, deadline, properties);
    }

    /**
     * Even a reader writes, to the files beside the database. A user who may write to the directory, but not to the database,
     * would own the files created there, to which the owner of the database cannot write.
     */
    private static void requireWritable(Path file) {
        if (Files.notExists(file)) {
            return;
        }
        for (String suffix : List.of("", "-wal", "-shm")) {
            Path each = file.resolveSibling(file.getFileName() + suffix);
            if (Files.exists(each) && !Files.isWritable(each)) {
                throw new LockConfigurationException("this user, " + System.getProperty("user.name")
                        + ", has no write permission for " + each
                        + ", which SQLite needs even for reading: grant it, in a"
                        + " directory whose files all belong to one group (chmod g+s), or use another file");
            }
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isWritable(directory)) {
            throw new LockConfigurationException("this user, " + System.getProperty("user.name")
                    + ", has no write permission for the directory " + directory
                    + ", in which SQLite keeps files beside "
                    + file.getFileName() + ": grant it, or use another file");
        }
    }

    private static Connections openPool(JdbcUrl url, int poolSize, Deadline deadline, Properties properties)
            throws SQLException {
        properties.setProperty("busy_timeout", Integer.toString(Math.max(1, deadline.millisLeft())));
        properties.setProperty("synchronous", "FULL");
        // Flyway's, which change the tables: one that began with reading could not write after another write.
        properties.setProperty("transaction_mode", "IMMEDIATE");
        DriverDataSource source = new DriverDataSource(url.value(), DRIVER, properties);
        try {
            return new PooledConnections(source, SqliteErrors.INSTANCE, poolSize, null, deadline);
        } catch (SQLException e) {
            NativeLibrary.requireLoaded(url, e);
            throw e;
        }
    }

    private static void createDirectory(Path file) {
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
            throw new LockConfigurationException("cannot create the directory " + directory + " for " + file, e);
        }
    }

    /** Changes the journal mode, which needs a moment without readers: SQLite does not wait for one by itself. */
    private static void enableWriteAhead(Connections connections, Deadline deadline) throws SQLException {
        while (true) {
            try {
                if (queryWriteAhead(connections, deadline, "PRAGMA journal_mode = WAL")) {
                    return;
                }
                throw new LockConfigurationException(
                        "SQLite cannot use write-ahead logging on this file system: put the file on a disk of this machine");
            } catch (SQLException e) {
                if (SqliteErrors.INSTANCE.classify(e) != ErrorClass.DATABASE_BUSY || deadline.isOver()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static boolean queryWriteAhead(Connections connections, Deadline deadline, String pragma)
            throws SQLException {
        return connections.with(deadline, connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet mode = statement.executeQuery(pragma)) {
                return mode.next() && mode.getString(1).equals("wal");
            }
        });
    }
}
