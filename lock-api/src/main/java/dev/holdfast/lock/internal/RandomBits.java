package dev.holdfast.lock.internal;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.security.SecureRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** Random bits that no other process has, drawn many at a time: one by one they would take longer than all the rest of a step. */
final class RandomBits implements LongSupplier {

    private static final int DRAWN = 2_048;

    private final SecureRandom source = new SecureRandom();
    private final byte[] bytes = new byte[DRAWN];
    private final LongBuffer longs = ByteBuffer.wrap(bytes).asLongBuffer();
    private final ReentrantLock guard = new ReentrantLock();

    RandomBits() {
        longs.position(longs.limit());
    }

    @Override
    public long getAsLong() {
        guard.lock();
        try {
            if (!longs.hasRemaining()) {
                source.nextBytes(bytes);
                longs.rewind();
            }
            return longs.get();
        } finally {
            guard.unlock();
        }
    }
}
