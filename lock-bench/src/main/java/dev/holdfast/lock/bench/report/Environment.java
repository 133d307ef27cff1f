package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measure.Effort;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * On what and how it was measured.
 *
 * @param at when it began
 * @param facts for people
 * @param libraries versions of all on the class path, by the name of the artifact
 */
public record Environment(String at, List<String> facts, Map<String, String> libraries, int rounds, long seed) {

    private static final Path PROCESSOR = Path.of("/proc/cpuinfo");
    private static final Path MEMORY = Path.of("/proc/meminfo");

    /** Of this process, with these servers. */
    public static Environment of(List<String> servers, Effort effort, long seed) throws IOException {
        List<String> facts = new ArrayList<>();
        facts.add(System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version")
                + ", every candidate in processes of its own: " + effort.options());
        facts.add(machine());
        facts.addAll(servers);
        facts.add(effort.text());
        Map<String, String> libraries = new TreeMap<>(Libraries.onClassPath());
        return new Environment(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(), facts, libraries, effort.rounds(), seed);
    }

    private static String machine() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        FileStore disk = Files.getFileStore(temporary);
        return System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors() + " processors"
                + fact(PROCESSOR, "model name").map(name -> " (" + name + ")").orElse("")
                + fact(MEMORY, "MemTotal").map(size -> ", memory " + size).orElse("")
                + ", files of the servers on " + disk.type();
    }

    private static Optional<String> fact(Path file, String key) throws IOException {
        if (!Files.isReadable(file)) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        }
    }
}
