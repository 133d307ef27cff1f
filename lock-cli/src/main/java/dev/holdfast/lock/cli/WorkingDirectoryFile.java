package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import dev.holdfast.lock.LockConfigurationException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * A configuration that was found in the working directory, not named by the caller. It decides which file is created and which
 * server determines what runs, so root accepts it only from root.
 */
final class WorkingDirectoryFile {

    private static final Path SELF = Path.of("/proc/self");
    private static final int ROOT = 0;

    /** Write permission for the group or for others. */
    private static final int WRITABLE_BY_OTHERS = 0022;

    private WorkingDirectoryFile() {}

    /** @throws LockConfigurationException if this process runs as root, and another user may have written the file */
    static void requireTrusted(Path file) {
        if (!FileSystems.getDefault().supportedFileAttributeViews().contains("unix") || !Files.exists(SELF)) {
            return;
        }
        Optional<String> objection;
        try {
            objection = uid(Files.readAttributes(SELF, "unix:uid")) == ROOT ? objection(file, ROOT) : Optional.empty();
        } catch (IOException e) {
            throw new LockConfigurationException("cannot find out the owner of " + file.toAbsolutePath() + ": " + e, e);
        }
        objection.ifPresent(why -> {
            throw new LockConfigurationException(file.toAbsolutePath() + " " + why
                    + ", and root does not use another user's configuration that merely is in the working directory:"
                    + " if it is the right one, name it with --config " + file + " or " + StoreConfig.VARIABLE);
        });
    }

    /**
     * The reason why others may have written a file; empty if only one user may have.
     *
     * @param user the id of that user
     */
    static Optional<String> objection(Path file, int user) throws IOException {
        if (Files.isSymbolicLink(file)) {
            Map<String, Object> link = Files.readAttributes(file, "unix:uid,owner", LinkOption.NOFOLLOW_LINKS);
            if (uid(link) != user) {
                return Optional.of("is a link of the user " + link.get("owner"));
            }
            if (Files.notExists(file)) {
                return Optional.empty(); // reported when it is read
            }
        }
        Map<String, Object> attributes = Files.readAttributes(file, "unix:uid,mode,owner");
        if (uid(attributes) != user) {
            return Optional.of("belongs to the user " + attributes.get("owner"));
        }
        return (number(attributes, "mode") & WRITABLE_BY_OTHERS) == 0
                ? Optional.empty()
                : Optional.of("may be written by other users");
    }

    private static int uid(Map<String, Object> attributes) {
        return number(attributes, "uid");
    }

    private static int number(Map<String, Object> attributes, String name) {
        return (Integer) requireNonNull(attributes.get(name));
    }
}
