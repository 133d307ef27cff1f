package dev.holdfast.lock.internal.client;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.security.SecureRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Random bits, drawn many at a time: drawing each by itself would take longer than the rest of an acquire. They are used soon or
 * discarded, as a process that is restored twice from one image must not use the same bits twice.
 */
final class RandomBits implements LongSupplier {

    private static final int DRAWN = 1_024;
    private static final long MOST_MILLIS = 100;

    private final SecureRandom source = new SecureRandom();
    private final byte[] bytes = new byte[DRAWN];
    private final LongBuffer longs = ByteBuffer.wrap(bytes).asLongBuffer();
    /** The time at which the bits were drawn, by the wall clock, which goes on while the process is suspended. */
    private long drawnAt;

    private final ReentrantLock guard = new ReentrantLock();

    RandomBits() {
        longs.position(longs.limit());
    }

    @Override
    public long getAsLong() {
        guard.lock();
        try {
            long age = System.currentTimeMillis() - drawnAt;
            if (!longs.hasRemaining() || age < 0 || age > MOST_MILLIS) {
                longs.position(longs.limit()); // if drawing fails, no old bits are left
                source.nextBytes(bytes);
                drawnAt = System.currentTimeMillis();
                longs.rewind();
            }
            return longs.get();
        } finally {
            guard.unlock();
        }
    }
}
