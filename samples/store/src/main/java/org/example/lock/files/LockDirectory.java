package org.example.lock.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The directory of a namespace, which one command at a time has to itself. It has a file for each lock in use, a file for the
 * last token, and a file with which commands exclude each other.
 */
final class LockDirectory implements AutoCloseable {

    /** The most that the clock of a file system may be behind: one that runs in ticks is right when a tick begins. */
    static final Duration CLOCK_DELAY = Duration.ofMillis(10);

    private static final String MUTEX = "mutex";
    private static final String CLOCK = "clock";
    private static final String TOKEN = "token";
    private static final String LOCK = ".lock";

    private final Path path;
    private final FileMutex mutex;

    private LockDirectory(Path path, FileMutex mutex) {
        this.path = path;
        this.mutex = mutex;
    }

    /** Creates the directory if it does not exist, and enters it once. */
    static Path create(Path all, Namespace namespace, Duration timeout) throws Exception {
        Path path = Files.createDirectories(of(all, namespace));
        FileMutex.create(path.toRealPath().resolve(MUTEX), timeout);
        try (LockDirectory directory = enter(path, timeout)) {
            if (!Files.exists(path.resolve(TOKEN))) {
                directory.replace(TOKEN, "0");
            }
            directory.sweep(directory.now());
        }
        return path;
    }

    static Path of(Path all, Namespace namespace) {
        return all.resolve(hash(namespace.value()));
    }

    /** Waits until no other command is in the directory. A missing directory is an error, not an empty directory. */
    static LockDirectory enter(Path path, Duration timeout) throws Exception {
        Path real = path.toRealPath();
        return new LockDirectory(real, FileMutex.lock(real.resolve(MUTEX), timeout));
    }

    /**
     * The time at which the file system writes a file. All processes share that clock; the clocks of their machines may differ, if
     * the directory is on a network drive.
     */
    Instant now() throws IOException {
        return Files.getLastModifiedTime(Files.writeString(path.resolve(CLOCK), "-"))
                .toInstant();
    }

    /** The entries of a lock that have not expired. */
    List<Entry> read(LockName name, Instant now) throws IOException {
        return read(path.resolve(hash(name.value()) + LOCK), now);
    }

    private static List<Entry> read(Path file, Instant now) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(file)) {
                entries.add(Entry.parse(line));
            }
        } catch (NoSuchFileException e) {
            return entries; // the lock is not in use; any other exception is an outage
        }
        entries.removeIf(entry -> !entry.until().isAfter(now));
        return entries;
    }

    /** Writes the entries of a lock; a lock that is not in use has no file. */
    void write(LockName name, List<Entry> entries) throws IOException {
        String file = hash(name.value()) + LOCK;
        if (entries.isEmpty()) {
            Files.deleteIfExists(path.resolve(file));
        } else {
            replace(file, entries.stream().map(Entry::line).collect(Collectors.joining("\n")));
        }
    }

    /**
     * Greater than every earlier token of any name, so that nothing needs to be kept about an unused name; and not less than
     * the clock, in case the directory was emptied.
     */
    long nextToken(long tokenFloor, Instant now) throws IOException {
        if (tokenFloor >= LockReply.Granted.MAX_TOKEN) { // adding one could overflow
            throw new IllegalStateException("no token is left above " + tokenFloor);
        }
        long last = Long.parseLong(Files.readString(path.resolve(TOKEN)));
        long next = Math.max(Math.max(last, tokenFloor) + 1, ChronoUnit.MICROS.between(Instant.EPOCH, now));
        if (next > LockReply.Granted.MAX_TOKEN) {
            throw new IllegalStateException("no token is left above " + (next - 1));
        }
        replace(TOKEN, Long.toString(next));
        return next;
    }

    /**
     * Deletes the files of locks whose entries have all expired. It reads the files of all locks in use. A file that cannot be
     * read stays: it makes its own lock unavailable, and no other.
     */
    void sweep(Instant now) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*" + LOCK)) {
            for (Path file : files) {
                try {
                    if (read(file, now).isEmpty()) {
                        Files.delete(file);
                    }
                } catch (IOException | RuntimeException e) {
                    // the next file belongs to another lock
                }
            }
        }
    }

    /** Atomic and durable: a kill or a power failure leaves the old text or the new. */
    private void replace(String name, String text) throws IOException {
        Path draft = path.resolve("draft");
        try (FileChannel file = FileChannel.open(draft, CREATE, WRITE, TRUNCATE_EXISTING)) {
            for (ByteBuffer bytes = UTF_8.encode(text); bytes.hasRemaining(); ) {
                file.write(bytes);
            }
            file.force(true);
        }
        Files.move(draft, path.resolve(name), ATOMIC_MOVE);
        if (File.separatorChar == '/') { // Windows does not open directories
            try (FileChannel directory = FileChannel.open(path, READ)) {
                directory.force(true);
            }
        }
    }

    /** Lock names may be too long for a file name, differ only in case, and contain slashes. */
    private static String hash(String name) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    @Override
    public void close() throws IOException {
        mutex.close();
    }
}
