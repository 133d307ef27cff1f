package dev.holdfast.lock.internal.client;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.security.SecureRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Random bits that no other process has, drawn many at a time: one by one they would take longer than all the rest of a step.
 * What was drawn is used soon or never: a process that is restored from an image, and restored again, must not use it twice.
 */
final class RandomBits implements LongSupplier {

    private static final int DRAWN = 1_024;
    private static final long MOST_MILLIS = 100;

    private final SecureRandom source = new SecureRandom();
    private final byte[] bytes = new byte[DRAWN];
    private final LongBuffer longs = ByteBuffer.wrap(bytes).asLongBuffer();
    /** Since 1970, by the wall clock: it goes on while a process does not. */
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
                longs.position(longs.limit()); // nothing is left of what was drawn, should drawing fail
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
