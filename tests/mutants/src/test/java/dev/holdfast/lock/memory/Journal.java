package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.SimpleLockStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A memory store that processes share: each command is appended to a file, and each process replays the commands of the
 * others before its own. Only for tests of the kit, as the file grows.
 */
final class Journal extends SimpleLockStore {

    /** File locks exclude processes, not threads. */
    private static final ReentrantLock MUTEX = new ReentrantLock();

    private static final Duration POLL = Duration.ofMillis(20);

    private final FileChannel file;
    private Instant now = Instant.EPOCH;
    private final MemorySpace space = new MemorySpace(() -> now);
    private long read;

    Journal(Path path) {
        try {
            file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** There are no notifications between processes. */
    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.QUEUE);
    }

    @Override
    protected LockReply acquire(LockCommand.Acquire command, Duration timeout) throws IOException {
        return execute(command);
    }

    @Override
    protected LockReply renew(LockCommand.Renew command, Duration timeout) throws IOException {
        return execute(command);
    }

    @Override
    protected LockReply release(LockCommand.Release command, Duration timeout) throws IOException {
        return execute(command);
    }

    private LockReply execute(LockCommand command) throws IOException {
        boolean interrupted = Thread.interrupted(); // which would close the file
        MUTEX.lock();
        try {
            FileLock alone = file.lock();
            try {
                catchUp();
                now = Instant.EPOCH.plusNanos(
                        System.nanoTime()); // since the machine's start, the same for its processes
                append(command);
                return sooner(space.execute(command));
            } finally {
                alone.release();
            }
        } finally {
            MUTEX.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Without notifications a waiter has to poll. */
    private static LockReply sooner(LockReply reply) {
        return reply instanceof LockReply.Queued waiting && waiting.retryAfter().compareTo(POLL) > 0
                ? new LockReply.Queued(POLL)
                : reply;
    }

    private void catchUp() throws IOException {
        file.position(read);
        DataInputStream in = new DataInputStream(Channels.newInputStream(file));
        for (long size = file.size(); read < size; ) {
            byte[] entry = new byte[in.readInt()];
            in.readFully(entry);
            read += Integer.BYTES + entry.length;
            replay(new DataInputStream(new ByteArrayInputStream(entry)));
        }
    }

    private void replay(DataInputStream entry) throws IOException {
        now = Instant.ofEpochSecond(entry.readLong(), entry.readInt());
        LockName name = new LockName(entry.readUTF());
        AcquisitionId id = new AcquisitionId(entry.readLong(), entry.readLong());
        char kind = entry.readChar();
        Duration first = Duration.ofNanos(entry.readLong());
        long second = entry.readLong();
        LockCommand command = switch (kind) {
            case 'a', 'q' -> new LockCommand.Acquire(name, id, first, kind == 'q', second, "");
            case 'n' -> new LockCommand.Renew(name, id, first);
            default -> new LockCommand.Release(name, id, first, Duration.ofNanos(second));
        };
        try {
            space.execute(command);
        } catch (IllegalStateException e) {
            // it was refused then as well
        }
    }

    private void append(LockCommand command) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream entry = new DataOutputStream(bytes);
        entry.writeLong(now.getEpochSecond());
        entry.writeInt(now.getNano());
        entry.writeUTF(command.name().value());
        entry.writeLong(command.id().high());
        entry.writeLong(command.id().low());
        if (command instanceof LockCommand.Acquire acquire) {
            write(entry, acquire.queue() ? 'q' : 'a', acquire.lease(), acquire.tokenFloor());
        } else if (command instanceof LockCommand.Renew renew) {
            write(entry, 'n', renew.lease(), 0);
        } else {
            LockCommand.Release release = (LockCommand.Release) command;
            write(entry, 'r', release.minimumHold(), release.tombstone().toNanos());
        }
        ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + bytes.size());
        record.putInt(bytes.size()).put(bytes.toByteArray()).flip();
        while (record.hasRemaining()) {
            read += file.write(record, read);
        }
    }

    private static void write(DataOutputStream entry, char kind, Duration first, long second) throws IOException {
        entry.writeChar(kind);
        entry.writeLong(first.toNanos());
        entry.writeLong(second);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
