package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ServerFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Nodes of a Galera cluster, each a MariaDB that takes writes: {@code -Dlock.test.galera.provider} names Galera's library, and
 * {@code -Dlock.test.mariadb.program} a {@code mariadbd} that loads it.
 */
public final class GaleraCluster implements AutoCloseable {

    public static final String PROVIDER = "lock.test.galera.provider";

    /** All nodes begin with the same data, and with as many changes as nodes have joined before: so none is transferred. */
    private static final String STATE = """
            # GALERA saved state
            version: 2.1
            uuid:    6a31dbd5-ea68-11f1-9777-9eff498d6f3d
            seqno:   %d
            safe_to_bootstrap: 1
            """;

    private final List<MariaDbServer> nodes = new ArrayList<>();
    private final Path directory;
    private final CleanupProcess cleanup;

    /** A cluster without databases. */
    public GaleraCluster(int size) {
        try {
            directory = ServerFiles.newDirectory("holdfast-galera-");
            cleanup = CleanupProcess.killing(directory, directory.resolve("pid")); // the nodes have their own
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            int first = FreePort.find();
            for (int started = 0; started < size; started++) {
                Path state = directory.resolve(Integer.toString(started));
                Files.createDirectory(state);
                Files.writeString(state.resolve("grastate.dat"), STATE.formatted(started));
                nodes.add(MariaDbServer.own(options(
                        state, started == 0 ? first : FreePort.find(), started == 0 ? "" : "127.0.0.1:" + first)));
                awaitSize(nodes.size(), nodes);
            }
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** @param member one of the cluster that the node joins; empty for the first node */
    private static String[] options(Path state, int port, String member) throws IOException {
        String address = "127.0.0.1:" + port;
        return new String[] {
            "--wsrep-on=ON",
            "--wsrep-provider=" + System.getProperty(PROVIDER),
            "--wsrep-cluster-address=gcomm://" + member,
            "--wsrep-data-home-dir=" + state,
            "--wsrep-node-address=" + address,
            "--wsrep-provider-options=base_host=127.0.0.1;base_port=" + port + ";gmcast.listen_addr=tcp://" + address
                    + ";ist.recv_addr=127.0.0.1:" + FreePort.find() + ";gcache.size=16M",
            "--wsrep-sst-method=skip",
            "--binlog-format=ROW",
            "--innodb-autoinc-lock-mode=2"
        };
    }

    /** The nodes, of which a killed one stays so. */
    public List<MariaDbServer> nodes() {
        return List.copyOf(nodes);
    }

    /** A new database, on each node. */
    public List<MariaDbDatabase> newDatabase() throws SQLException {
        String url = nodes.get(0).newDatabase();
        String name = url.substring(url.lastIndexOf('/') + 1);
        List<MariaDbDatabase> onEach = new ArrayList<>();
        for (MariaDbServer node : nodes) {
            onEach.add(new MariaDbDatabase(node, node.url(name)));
        }
        for (MariaDbDatabase each : onEach) {
            Await.until("the database is on each node", () -> isThere(each));
        }
        return onEach;
    }

    private static boolean isThere(MariaDbDatabase database) {
        try (Connection connection = database.connect()) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Waits until these nodes are a cluster of this size, and take commands. */
    public static void awaitSize(int size, List<MariaDbServer> nodes) {
        for (MariaDbServer node : nodes) {
            Await.until(
                    "a cluster of " + size + " nodes",
                    () -> Integer.toString(size).equals(status(node, "wsrep_cluster_size"))
                            && "Synced".equals(status(node, "wsrep_local_state_comment")));
        }
    }

    /** Waits until this node has noticed that it is without a majority. */
    public static void awaitMinority(MariaDbServer node) {
        Await.until("the node takes no commands", () -> "OFF".equals(status(node, "wsrep_ready")));
    }

    private static String status(MariaDbServer node, String variable) throws SQLException {
        try (Connection connection = node.connect(node.url(""));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE '" + variable + "'")) {
            row.next();
            return row.getString(2);
        }
    }

    @Override
    public void close() {
        nodes.forEach(MariaDbServer::close);
        cleanup.close();
    }
}
