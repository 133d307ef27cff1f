package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;

/** A process that opens a store with the scripts of the second version. */
final class UpgradingProcess {

    private UpgradingProcess() {}

    /** Starts one, and kills it (SIGKILL) when it is mid-way. */
    static void killWhen(Path directory, VersionedDatabase database, Callable<Boolean> isMidWay) throws Exception {
        Properties properties = new Properties();
        properties.putAll(database.settings());
        Path settings = directory.resolve("settings.properties");
        try (Writer to = Files.newBufferedWriter(settings)) {
            properties.store(to, null);
        }
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        JavaCommand.of(UpgradingProcess.class, directory, List.of(settings.toString())))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            Await.until("the upgrade is mid-way", () -> {
                if (!process.isAlive()) {
                    throw new AssertionError("it has ended: " + Files.readString(output));
                }
                return isMidWay.call();
            });
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** The argument: a file of settings. */
    public static void main(String[] arguments) throws IOException {
        Properties properties = new Properties();
        try (Reader from = Files.newBufferedReader(Path.of(arguments[0]))) {
            properties.load(from);
        }
        Map<String, String> settings = new HashMap<>();
        properties.stringPropertyNames().forEach(key -> settings.put(key, properties.getProperty(key)));
        VersionedDatabase database = VersionedDatabase.of(settings);
        database.store(database.second()).close();
    }
}
