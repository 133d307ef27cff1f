package org.example.lock.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories with unexpected content. */
class LockDirectoryTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path all;

    @Test
    void sweep_withUnreadableFiles_deletesOnlyExpiredOnes() throws Exception {
        Path path = create();
        Path garbage = Files.writeString(path.resolve("a.lock"), "HELD without an id");
        Path notText = Files.write(path.resolve("b.lock"), new byte[] {(byte) 0xff});
        Path notFile =
                Files.createDirectories(path.resolve("c.lock").resolve("d")).getParent();
        Path expired = Files.createFile(path.resolve("e.lock"));

        create();

        assertTrue(Files.exists(garbage));
        assertTrue(Files.exists(notText));
        assertTrue(Files.exists(notFile));
        assertFalse(Files.exists(expired));
    }

    @Test
    void nextToken_beyondTheGreatest_fails() throws Exception {
        try (LockDirectory directory = LockDirectory.enter(create(), PATIENCE)) {
            Instant now = Instant.now();
            for (long above : new long[] {LockReply.Granted.MAX_TOKEN, Long.MAX_VALUE}) {
                assertThrows(IllegalStateException.class, () -> directory.nextToken(above, now));
            }
            assertEquals(LockReply.Granted.MAX_TOKEN, directory.nextToken(LockReply.Granted.MAX_TOKEN - 1, now));
            assertThrows(IllegalStateException.class, () -> directory.nextToken(0, now));
        }
    }

    private Path create() throws Exception {
        return LockDirectory.create(all, new Namespace("test"), PATIENCE);
    }
}
