package dev.holdfast.lock.composite.specification;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Which specification was checked in full last: the SHA-256 of {@code src/spec}, in a file beside it. */
final class Digest {

    private static final Path RECORDED = Model.SPECIFICATION.resolve("checked.sha256");

    private Digest() {}

    static boolean isRecorded() throws IOException {
        return Files.exists(RECORDED) && Files.readString(RECORDED).strip().equals(present());
    }

    static void record() throws IOException {
        Files.writeString(RECORDED, present() + "\n");
    }

    private static String present() throws IOException {
        try (Stream<Path> files = Files.list(Model.SPECIFICATION)) {
            List<Path> specification =
                    files.filter(file -> !file.equals(RECORDED)).sorted().toList();
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : specification) {
                digest.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
