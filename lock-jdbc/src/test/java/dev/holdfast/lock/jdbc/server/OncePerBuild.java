package dev.holdfast.lock.jdbc.server;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A folder that takes seconds to make: the first JVM of a build makes it for all, and {@code mvn clean} removes it. */
final class OncePerBuild {

    /** Fills the folder. What it makes is seen by others only when it has returned. */
    interface Making<E extends Exception> {
        void in(Path folder) throws IOException, E;
    }

    private OncePerBuild() {}

    /**
     * The folder {@code name}, made now unless it is there.
     *
     * @param kind the folder that has it, in the build's
     */
    static synchronized <E extends Exception> Path folder(String kind, String name, Making<E> making)
            throws IOException, E {
        Path place = Files.createDirectories(target().resolve(kind));
        Path folder = place.resolve(name);
        try (FileChannel file =
                        FileChannel.open(place.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock alone = file.lock()) {
            if (alone.isValid() && Files.notExists(folder)) {
                Path unfinished = Files.createTempDirectory(place, "new-");
                making.in(unfinished);
                Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        return folder;
    }

    /** Beside our own classes, so that the modules that take them from here share it; or in the module, if those are not built here. */
    private static Path target() {
        Path classes = Path.of(URI.create(OncePerBuild.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
        for (Path at = classes; at != null; at = at.getParent()) {
            if (at.endsWith("target")) {
                return at;
            }
        }
        return Path.of("target").toAbsolutePath();
    }
}
