package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.nio.file.Path;
import java.util.Set;

/** Opens a {@link Journal}: one file per namespace. */
public final class JournalProvider implements LockProvider {

    static final ConfigKey<String> DIRECTORY = ConfigKey.text("lock.journal.directory", "the folder of the journals")
            .required();

    /** For {@link java.util.ServiceLoader}. */
    public JournalProvider() {}

    @Override
    public String name() {
        return "journal";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return Set.of(DIRECTORY);
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        // The digits keep apart what a file system may not: letters of either case.
        String file = namespace + "." + Integer.toHexString(namespace.value().hashCode());
        return new Journal(Path.of(config.get(DIRECTORY)).resolve(file));
    }
}
