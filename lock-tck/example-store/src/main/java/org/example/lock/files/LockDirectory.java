package org.example.lock.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
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
 * The directory of a namespace, entered by one step at a time. It holds a file for each lock in use, the last token, and the
 * file by which the steps exclude each other.
 */
final class LockDirectory implements AutoCloseable {

    private static final String TURN = "turn";
    private static final String TOKEN = "token";
    private static final String LOCK = ".lock";

    private final Path path;
    private final Turn turn;

    private LockDirectory(Path path, Turn turn) {
        this.path = path;
        this.turn = turn;
    }

    /** Makes it, if it is not there, and tries it out. */
    static Path make(Path all, Namespace namespace, Duration timeout) throws Exception {
        Path path = Files.createDirectories(of(all, namespace));
        Turn.make(path.toRealPath().resolve(TURN), timeout);
        try (LockDirectory directory = enter(path, timeout)) {
            if (!Files.exists(path.resolve(TOKEN))) {
                directory.replace(TOKEN, "0");
            }
            directory.sweep(Instant.now());
        }
        return path;
    }

    static Path of(Path all, Namespace namespace) {
        return all.resolve(hash(namespace.value()));
    }

    /** Waits for its turn. A directory that has vanished is an error, and not an empty one. */
    static LockDirectory enter(Path path, Duration timeout) throws Exception {
        Path real = path.toRealPath();
        return new LockDirectory(real, Turn.take(real.resolve(TURN), timeout));
    }

    /** What is known about a lock; expiry is that an entry is not read any more. */
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
            return entries; // nobody uses this lock; any other trouble is none of an answer
        }
        entries.removeIf(entry -> !entry.until().isAfter(now));
        return entries;
    }

    /** Writes what is known now; no file is left about a lock that nobody uses. */
    void write(LockName name, List<Entry> entries) throws IOException {
        String file = hash(name.value()) + LOCK;
        if (entries.isEmpty()) {
            Files.deleteIfExists(path.resolve(file));
        } else {
            replace(file, entries.stream().map(Entry::line).collect(Collectors.joining("\n")));
        }
    }

    /**
     * Greater than every token before, of whatever name: so nothing needs to be kept of a name that is not in use. And not
     * less than the clock, should somebody empty the directory.
     */
    long nextToken(long above, Instant now) throws IOException {
        if (above >= Answer.Granted.MAX_TOKEN) { // nothing can be added to the greatest of all numbers
            throw new IllegalStateException("no token is left above " + above);
        }
        long last = Long.parseLong(Files.readString(path.resolve(TOKEN)));
        long next = Math.max(Math.max(last, above) + 1, ChronoUnit.MICROS.between(Instant.EPOCH, now));
        if (next > Answer.Granted.MAX_TOKEN) {
            throw new IllegalStateException("no token is left above " + (next - 1));
        }
        replace(TOKEN, Long.toString(next));
        return next;
    }

    /**
     * Drops the files of locks whose last entry ended, and that nobody has asked for since. It reads the files of all locks in
     * use. One that cannot be read stays: it is an outage of its own lock, which says so, and of no other.
     */
    void sweep(Instant now) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*" + LOCK)) {
            for (Path file : files) {
                try {
                    if (read(file, now).isEmpty()) {
                        Files.delete(file);
                    }
                } catch (IOException | RuntimeException e) {
                    // Whatever is in it, and in its way: the next file is another lock's.
                }
            }
        }
    }

    /** All or nothing, and on the disk when it returns: whoever is killed, or loses power, leaves the old text or the new. */
    private void replace(String name, String text) throws IOException {
        Path draft = path.resolve("draft");
        try (FileChannel file = FileChannel.open(draft, CREATE, WRITE, TRUNCATE_EXISTING)) {
            for (ByteBuffer bytes = UTF_8.encode(text); bytes.hasRemaining(); ) {
                file.write(bytes);
            }
            file.force(true);
        }
        Files.move(draft, path.resolve(name), ATOMIC_MOVE);
        if (File.separatorChar == '/') { // Windows opens no directory, and needs none
            try (FileChannel directory = FileChannel.open(path, READ)) {
                directory.force(true);
            }
        }
    }

    /** A name is longer than a file's may be, has letters of either case, and slashes. */
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
        turn.close();
    }
}
