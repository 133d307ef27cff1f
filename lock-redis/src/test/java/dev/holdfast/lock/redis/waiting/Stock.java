package dev.holdfast.lock.redis.waiting;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A number in the memory of several processes, which is counted down by reading and writing it: what two do at once is
 * noticed, and counts once.
 */
final class Stock {

    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** Long enough for whoever should not be here to be noticed, and little beside what any lock takes. */
    private static final long A_WHILE_NANOS = 50_000;

    private static final int LEFT = 0;
    private static final int INSIDE = Integer.BYTES;

    private final ByteBuffer memory;

    private Stock(ByteBuffer memory) {
        this.memory = memory;
    }

    /** A stock that only this process knows. */
    static Stock here() {
        return new Stock(ByteBuffer.allocateDirect(2 * Integer.BYTES));
    }

    /** The stock in this file, which is made if there is none. */
    static Stock in(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Stock(channel.map(MapMode.READ_WRITE, 0, 2 * Integer.BYTES));
        }
    }

    void set(int count) {
        INTS.setVolatile(memory, LEFT, count);
    }

    int left() {
        return (int) INTS.getVolatile(memory, LEFT);
    }

    /** Takes one away; only for whoever is alone. */
    void takeOne() {
        if (!INTS.compareAndSet(memory, INSIDE, 0, 1)) {
            throw new IllegalStateException("two hold the lock");
        }
        int left = (int) INTS.getOpaque(memory, LEFT);
        long from = System.nanoTime();
        while (System.nanoTime() - from < A_WHILE_NANOS) {
            Thread.onSpinWait();
        }
        INTS.setOpaque(memory, LEFT, left - 1);
        INTS.setVolatile(memory, INSIDE, 0);
    }
}
