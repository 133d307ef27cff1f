package org.example.lock.files;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Path;
import java.util.Set;

/**
 * {@code lock.provider=files}: locks in a directory of a local disk, shared by all processes of this machine with the same
 * {@code lock.files.directory}.
 */
public final class DirectoryLockProvider implements LockProvider {

    private static final ConfigKey<String> DIRECTORY =
            ConfigKey.text("lock.files.directory", "the directory of the locks").required();

    /** For {@link java.util.ServiceLoader}. */
    public DirectoryLockProvider() {}

    @Override
    public String name() {
        return "files";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return Set.of(DIRECTORY);
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        Path all = Path.of(config.get(DIRECTORY));
        try {
            return new DirectoryLockStore(LockDirectory.create(all, namespace, config.callTimeout()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockUnavailableException("interrupted while " + all + " was opened", e);
        } catch (Exception e) {
            throw new LockUnavailableException("cannot keep locks in " + all + ": " + e, e);
        }
    }
}
