package dev.holdfast.lock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * SQLite's driver unpacks a library of a megabyte into a file, loads it, and deletes the file when the process ends; whoever is
 * killed would leave it behind. What is loaded needs no file any more: here it is unpacked in a folder of this process's own,
 * which is gone once the store is open.
 */
final class UnpackedDriver {

    /** Where the driver unpacks, if not where all that is temporary goes. */
    private static final String PLACE = "org.sqlite.tmpdir";

    private UnpackedDriver() {}

    /**
     * Opens a store, of whatever kind.
     *
     * @param opening to be called once
     */
    static <T> T gone(Supplier<T> opening) {
        String place = System.getProperty(PLACE);
        Optional<Path> own = own(Path.of(place == null ? System.getProperty("java.io.tmpdir") : place));
        if (own.isEmpty()) {
            return opening.get();
        }
        System.setProperty(PLACE, own.get().toString());
        try {
            return opening.get();
        } finally {
            restore(place);
            delete(own.get());
        }
    }

    /** Empty if none can be made: only a store on SQLite needs one, and the driver says what is wrong. */
    private static Optional<Path> own(Path parent) {
        try {
            Path own = Files.createTempDirectory(parent, "holdfast-sqlite-");
            own.toFile().deleteOnExit(); // after what the driver has in it, if this process ends meanwhile
            return Optional.of(own);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void restore(@Nullable String place) {
        if (place == null) {
            System.clearProperty(PLACE);
        } else {
            System.setProperty(PLACE, place);
        }
    }

    private static void delete(Path own) {
        try (Stream<Path> all = Files.walk(own)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            // Where what is loaded cannot be deleted, it is when the process ends.
        }
    }
}
