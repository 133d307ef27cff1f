package dev.holdfast.lock.jdbc.postgresql.driver;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;

/** Does not wait a millisecond: a time-out of one, which the driver sets only to look whether there is something, is at once. */
final class PromptSocket extends Socket {

    private static final int LOOK_MILLIS = 1;

    private volatile boolean looks;

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the flag stands by itself
    public void setSoTimeout(int timeout) throws SocketException {
        super.setSoTimeout(timeout);
        looks = timeout == LOOK_MILLIS;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new PromptStream(super.getInputStream(), () -> looks);
    }
}
