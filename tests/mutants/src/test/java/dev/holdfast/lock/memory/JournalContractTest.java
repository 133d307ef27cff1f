package dev.holdfast.lock.memory;

import dev.holdfast.lock.tck.LockStoreContract;
import dev.holdfast.lock.tck.Rule;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The reference passes the rules about processes when processes share it. */
@Tag("first-build")
class JournalContractTest extends LockStoreContract {

    private static final Set<Rule> OF_PROCESSES = EnumSet.of(Rule.P1_15, Rule.P1_16, Rule.P1_21, Rule.P7_12, Rule.P9_5);

    @TempDir
    static Path directory;

    @Override
    protected Properties configuration() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "journal");
        properties.setProperty(JournalProvider.DIRECTORY.name(), directory.toString());
        return properties;
    }

    @Override
    protected Map<String, String> exemptions() {
        return EnumSet.complementOf(EnumSet.copyOf(OF_PROCESSES)).stream()
                .collect(Collectors.toMap(Rule::id, rule -> "asked of the reference in memory"));
    }
}
