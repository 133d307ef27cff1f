package dev.holdfast.lock.jdbc.sqlite;

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

/** Looks for what of the file weakens a promise. */
final class Examination {

    /** File systems whose locks and shared memory do not reach from one machine to another, or not reliably. */
    private static final Pattern SHARED =
            Pattern.compile("(fuse\\.)?(nfs|cifs|smb|afs|afpfs|9p|sshfs|glusterfs|ceph|lustre|gpfs"
                    + "|beegfs|ocfs2|gfs2|virtiofs|vboxsf|vmhgfs|grpcfuse|s3fs|rclone|davfs).*");

    private Examination() {}

    static List<Finding> ask(Connection connection, Optional<Path> file) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.fine(
                "schema",
                "SQLite " + connection.getMetaData().getDatabaseProductVersion() + ", the tables are as they have to be"
                        + file.map(path -> ", in " + path).orElse("")));
        findings.add(Finding.note(
                "reach",
                "a SQLite file excludes the processes of one machine from each other, and nobody else",
                "use PostgreSQL if the lock is for several machines"));
        if (file.isPresent()) {
            findings.addAll(fileSystem(file.get()));
        }
        return findings;
    }

    private static List<Finding> fileSystem(Path file) {
        try {
            String type = Files.getFileStore(file).type().toLowerCase(Locale.ROOT);
            return SHARED.matcher(type).matches()
                    ? List.of(Finding.warning(
                            "file system",
                            file + " is on a network share (" + type
                                    + "): SQLite excludes nobody there reliably, and may" + " lose the file",
                            "put the file on a disk of this machine, or use PostgreSQL"))
                    : List.of();
        } catch (IOException e) {
            return List.of(Finding.note("file system", "its kind cannot be told: " + e, ""));
        }
    }
}
