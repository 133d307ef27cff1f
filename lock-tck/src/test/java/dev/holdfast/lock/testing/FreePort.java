package dev.holdfast.lock.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port of the loopback that nobody uses at this moment, and nobody else is given in this process; nor the one 10,000 above
 * it, which a node of a Redis Cluster takes for its bus. Both lie below the ports that a system gives to those who do not
 * choose, so that none of them takes the port of a server that is yet to start, or was killed.
 */
public final class FreePort {

    private static final int FROM = 10_000;
    private static final int TO = 20_000;
    private static final int BUS = 10_000;
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePort() {}

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
