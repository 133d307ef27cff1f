package dev.holdfast.lock.tck.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a free port of the loopback address, each only once in this process. The port 10,000 above it, which a node of a Redis
 * Cluster uses for its bus, is free as well. Both are below the system's ephemeral ports, so that no other process gets the
 * port of a server that has not started yet, or was killed. Thread-safe.
 */
public final class FreePort {

    private static final int FROM = 10_000;
    private static final int TO = 20_000;
    private static final int BUS = 10_000;
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /**
     * A port on which no server listens now.
     *
     * @throws IllegalStateException if none is free
     */
    public static int find() {
        for (int tried = 0; tried < TO - FROM; tried++) {
            int port = ThreadLocalRandom.current().nextInt(FROM, TO);
            if (isFree(port) && isFree(port + BUS) && GIVEN.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port from " + FROM + " to " + TO);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
