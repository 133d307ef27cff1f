package dev.holdfast.lock.jdbc.postgresql.driver;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.function.BooleanSupplier;

/** Reads what is there, and while somebody only looks, does not wait for what is not. */
final class PromptStream extends FilterInputStream {

    private final BooleanSupplier looks;

    /** @param looks whether somebody only looks */
    PromptStream(InputStream in, BooleanSupplier looks) {
        super(in);
        this.looks = looks;
    }

    @Override
    public int read() throws IOException {
        ensureThereOrAwaited();
        return super.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        ensureThereOrAwaited();
        return super.read(bytes, offset, length);
    }

    private void ensureThereOrAwaited() throws IOException {
        if (looks.getAsBoolean() && available() == 0) {
            throw new SocketTimeoutException("there is nothing yet");
        }
    }
}
