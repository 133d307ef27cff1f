package dev.holdfast.lock.bench.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An address of the loopback that leads to a server, and can be made to lead to another one, or nowhere: a virtual address that
 * moves, or a link that breaks.
 */
public final class Wire implements AutoCloseable {

    private static final int NOWHERE = 0;

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile int target;

    /** @param target the port to which it leads at first */
    public Wire(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    /** Where it begins. */
    public int port() {
        return listening.getLocalPort();
    }

    /** From now on it leads to this port; what goes the former way is broken off. */
    public void leadTo(int port) {
        target = port;
        sockets.forEach(Wire::end);
        sockets.clear();
    }

    /** From now on it leads nowhere. */
    public void cut() {
        leadTo(NOWHERE);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                connect(listening.accept());
            } catch (IOException e) {
                // closed, or whoever came has gone: the next one may come
            }
        }
    }

    private void connect(Socket client) {
        int port = target;
        if (port == NOWHERE) {
            end(client);
            return;
        }
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(server);
            start(() -> pass(client, server));
            start(() -> pass(server, client));
            if (target != port) { // it was changed while this one was on its way
                end(client);
                end(server);
            }
        } catch (IOException e) {
            end(client); // nobody is there
        }
    }

    private void pass(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // one of both ends has gone
        } finally {
            end(from);
            end(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // then it has ended already
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "wire");
        thread.setDaemon(true);
        thread.start();
    }
}
