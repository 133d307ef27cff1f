package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.Lease;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What this process claims to hold, written to a file as long as it does, which a {@link History} reads: whatever becomes of the
 * process, its claims stay.
 *
 * <p>Each instant is taken before the lease is asked whether it is held. So it was held at that instant, and from its grant on.
 */
final class Claims implements AutoCloseable {

    private final FileChannel file;
    private final AtomicLong claims = new AtomicLong();

    Claims(Path file) throws IOException {
        this.file = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** A lease that was just granted: the number of the claim. */
    long granted(Lease lease) throws IOException {
        long claim = claims.incrementAndGet();
        write("granted " + claim + " " + System.nanoTime() + " " + lease.fencingToken() + " " + lease.name());
        return claim;
    }

    /** Whether the lease is held, which is claimed if it is. */
    boolean isHeld(long claim, Lease lease) throws IOException {
        long now = System.nanoTime();
        boolean isHeld = lease.isHeld();
        if (isHeld) {
            write("held " + claim + " " + now);
        }
        return isHeld;
    }

    /** The fence refused the token of a lease that is held. */
    void refused(long claim) throws IOException {
        write("refused " + claim + " " + System.nanoTime());
    }

    private void write(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
