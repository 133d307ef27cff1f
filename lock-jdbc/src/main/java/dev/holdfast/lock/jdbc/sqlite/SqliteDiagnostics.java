package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.schema.SchemaState;
import dev.holdfast.lock.spi.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Looks for properties of the file that weaken a guarantee. */
final class SqliteDiagnostics {

    /** File systems whose locks and shared memory do not work between machines, or not reliably. */
    private static final Pattern NETWORK_FILE_SYSTEM =
            Pattern.compile("(fuse\\.)?(nfs|cifs|smb|afs|afpfs|9p|sshfs|glusterfs|ceph|lustre|gpfs"
                    + "|beegfs|ocfs2|gfs2|virtiofs|vboxsf|vmhgfs|grpcfuse|s3fs|rclone|davfs).*");

    private SqliteDiagnostics() {}

    static List<Finding> diagnose(Connection connection, Optional<Path> file) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(
                "schema",
                "SQLite " + connection.getMetaData().getDatabaseProductVersion() + ", the tables are of version "
                        + SchemaState.readVersion(connection, SchemaState.TABLE)
                        + file.map(path -> ", in " + path).orElse("")));
        findings.add(Finding.note(
                "reach",
                "a SQLite file excludes only processes of one machine from each other",
                "use PostgreSQL if the lock is for several machines"));
        if (file.isPresent()) {
            findings.addAll(checkFileSystem(file.get()));
        }
        return findings;
    }

    private static List<Finding> checkFileSystem(Path file) {
        try {
            String type = Files.getFileStore(file).type().toLowerCase(Locale.ROOT);
            return NETWORK_FILE_SYSTEM.matcher(type).matches()
                    ? List.of(Finding.warning(
                            "file system",
                            file + " is on a network share (" + type
                                    + "): SQLite does not exclude other processes reliably there, and may lose the file",
                            "put the file on a disk of this machine, or use PostgreSQL"))
                    : List.of();
        } catch (IOException e) {
            return List.of(Finding.note("file system", "its type cannot be determined: " + e, ""));
        }
    }
}
