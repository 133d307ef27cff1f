package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.lock.memory.MemoryLockProvider;
import dev.holdfast.lock.spi.Namespace;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A run leaves its report behind, whatever became of its tests. */
class ReportedRunTest {

    private static final int ALL = Rule.values().length;

    @TempDir
    static Path directory;

    @Test
    void eachTestThatWasSelectedIsReportedAndTheOthersAsNotRun() throws IOException {
        String text = reportOf(
                "p1_1_aHeldLockRefusesEveryOtherId",
                "p6_1_anUnreachableStoreIsUnavailable",
                "p9_2_nothingIsKeptAboutIdleNames");

        assertThat(text)
                .startsWith(ALL + " rules: 1 passed, 1 aborted, 1 failed, " + (ALL - 3) + " not run\n"
                        + "the store does not conform\n")
                .contains("    P9.2 broken: waited PT0.1S in vain until only the one name in use is known")
                .contains("P6.1: nothing breaks the way to this store: override breakableWay()")
                .contains("provider      memory\n")
                .contains("store         dev.holdfast.lock.memory.MemoryLockStore")
                .contains("capabilities  QUEUE, SIGNALS")
                .contains(MemoryLockProvider.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath()
                        .replaceAll("/$", ""));
    }

    @Test
    void whatIsNoRuleOfTheKitIsNotCounted() throws IOException {
        assertThat(reportOf("aTestOfItsOwn"))
                .startsWith(ALL + " rules: 0 passed, 0 aborted, 0 failed, " + ALL + " not run\n")
                .contains("store         never opened");
    }

    private String reportOf(String... tests) throws IOException {
        LauncherFactory.create()
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(Stream.of(tests)
                                .map(test -> selectMethod(Keeping.class, method(test)))
                                .toList())
                        .build());
        assertThat(Files.readString(directory.resolve(Keeping.class.getName() + ".json")))
                .startsWith("{\n  \"conforms\": false,");
        return Files.readString(directory.resolve(Keeping.class.getName() + ".txt"));
    }

    private static Method method(String name) {
        return Stream.of(Keeping.class.getMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Says that something is kept for ever. Run by the tests above only. */
    static final class Keeping extends LockStoreContract {

        @Override
        protected Properties configuration() {
            Properties properties = new Properties();
            properties.setProperty("lock.provider", "memory");
            return properties;
        }

        @Override
        protected Duration patience() {
            return Duration.ofMillis(100);
        }

        @Override
        protected void prune(Namespace namespace) {
            // In vain.
        }

        @Override
        protected long namesKept(Namespace namespace) {
            return 2;
        }

        @Override
        protected Path reportDirectory() {
            return directory;
        }

        @Test
        public void aTestOfItsOwn() {
            assertThat(configuration()).isNotEmpty();
        }
    }
}
