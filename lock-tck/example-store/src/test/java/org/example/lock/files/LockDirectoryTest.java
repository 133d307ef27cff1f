package org.example.lock.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a directory does that is not as it was left, or as it should be. */
class LockDirectoryTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path all;

    @Test
    void aFileThatCannotBeReadIsSweptOver() throws Exception {
        Path path = make();
        Path garbage = Files.writeString(path.resolve("a.lock"), "HELD by nobody");
        Path noText = Files.write(path.resolve("b.lock"), new byte[] {(byte) 0xff});
        Path noFile =
                Files.createDirectories(path.resolve("c.lock").resolve("d")).getParent();
        Path nobodys = Files.createFile(path.resolve("e.lock"));

        make();

        assertTrue(Files.exists(garbage));
        assertTrue(Files.exists(noText));
        assertTrue(Files.exists(noFile));
        assertFalse(Files.exists(nobodys));
    }

    @Test
    void whereTokensEndNoneIsGiven() throws Exception {
        try (LockDirectory directory = LockDirectory.enter(make(), PATIENCE)) {
            Instant now = Instant.now();
            for (long above : new long[] {Answer.Granted.MAX_TOKEN, Long.MAX_VALUE}) {
                assertThrows(IllegalStateException.class, () -> directory.nextToken(above, now));
            }
            assertEquals(Answer.Granted.MAX_TOKEN, directory.nextToken(Answer.Granted.MAX_TOKEN - 1, now));
            assertThrows(IllegalStateException.class, () -> directory.nextToken(0, now));
        }
    }

    private Path make() throws Exception {
        return LockDirectory.make(all, new Namespace("test"), PATIENCE);
    }
}
