package dev.holdfast.lock.memory;

import dev.holdfast.lock.tck.LockStoreContract;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.io.TempDir;

/** The reference passes the kit when processes share it. */
class JournalContractTest extends LockStoreContract {

    @TempDir
    static Path directory;

    @Override
    protected Properties configuration() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "journal");
        properties.setProperty(JournalProvider.DIRECTORY, directory.toString());
        return properties;
    }

    @Override
    protected void restart() {
        throw notPossible("there is no server: each command reads the journal");
    }
}
