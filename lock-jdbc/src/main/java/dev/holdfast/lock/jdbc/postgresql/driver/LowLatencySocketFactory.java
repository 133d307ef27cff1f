package dev.holdfast.lock.jdbc.postgresql.driver;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.function.BooleanSupplier;
import javax.net.SocketFactory;

/**
 * Sockets on which the driver returns a notification as soon as it has received it. Before it returns, the driver looks for another
 * one with a timeout of a millisecond, which is longer than the rest of a hand-over. These sockets then time out at once.
 */
public final class LowLatencySocketFactory extends SocketFactory {

    /** The timeout with which the driver only checks whether there is something to read. */
    private static final int LOOK_MILLIS = 1;

    /** For the driver. */
    public LowLatencySocketFactory() {}

    @Override
    public Socket createSocket() {
        return new LowLatencySocket();
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
        return new SocketException("creates only sockets that are not connected yet");
    }

    private static final class LowLatencySocket extends Socket {

        private volatile boolean isLooking;

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the flag is independent of the socket's state
        public void setSoTimeout(int timeout) throws SocketException {
            super.setSoTimeout(timeout);
            isLooking = timeout == LOOK_MILLIS;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new ImpatientStream(super.getInputStream(), () -> isLooking);
        }
    }

    /** Reads what has been received; does not wait for more while the driver only checks. */
    static final class ImpatientStream extends FilterInputStream {

        private final BooleanSupplier isLooking;

        ImpatientStream(InputStream in, BooleanSupplier isLooking) {
            super(in);
            this.isLooking = isLooking;
        }

        @Override
        public int read() throws IOException {
            ensureAvailable();
            return super.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            ensureAvailable();
            return super.read(bytes, offset, length);
        }

        private void ensureAvailable() throws IOException {
            if (isLooking.getAsBoolean() && available() == 0) {
                throw new SocketTimeoutException("there is nothing to read");
            }
        }
    }
}
