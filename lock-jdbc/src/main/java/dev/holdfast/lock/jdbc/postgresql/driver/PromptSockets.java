package dev.holdfast.lock.jdbc.postgresql.driver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.SocketFactory;

/**
 * Makes sockets on which the driver tells of a notification as soon as it has it. Before it tells, it looks whether there is one
 * more, and on other sockets waits a millisecond for that: twice what the rest of a hand-over takes.
 */
public final class PromptSockets extends SocketFactory {

    /** For the driver. */
    public PromptSockets() {}

    @Override
    public Socket createSocket() {
        return new PromptSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw unconnectedOnly();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        throw unconnectedOnly();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw unconnectedOnly();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        throw unconnectedOnly();
    }

    private static SocketException unconnectedOnly() {
        return new SocketException("makes sockets that are not connected yet");
    }
}
