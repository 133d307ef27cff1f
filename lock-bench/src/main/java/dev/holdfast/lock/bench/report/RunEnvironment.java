package dev.holdfast.lock.bench.report;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The machine, the software and the parameters of a run.
 *
 * @param at the start of the run
 * @param facts for people
 * @param libraries the versions of the jars on the class path, by artifact
 */
public record RunEnvironment(String at, List<String> facts, Map<String, String> libraries, int rounds, long seed) {

    private static final Pattern JAR = Pattern.compile("(.+?)-(\\d.*)\\.jar");

    /** @param facts in addition to those about the JVM and the machine */
    public static RunEnvironment of(String jvmOptions, List<String> facts, int rounds, long seed) throws IOException {
        List<String> all = new ArrayList<>();
        all.add(System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version")
                + ", each candidate in processes of its own: " + jvmOptions);
        all.add(machine());
        all.addAll(facts);
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        return new RunEnvironment(now, all, classPathVersions(), rounds, seed);
    }

    private static String machine() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        return System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors() + " processors"
                + field("/proc/cpuinfo", "model name")
                        .map(name -> " (" + name + ")")
                        .orElse("")
                + field("/proc/meminfo", "MemTotal")
                        .map(size -> ", memory " + size)
                        .orElse("")
                + ", files of the servers on " + Files.getFileStore(temporary).type();
    }

    private static Optional<String> field(String file, String key) throws IOException {
        if (!Files.isReadable(Path.of(file))) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        }
    }

    private static Map<String, String> classPathVersions() {
        Map<String, String> versions = new TreeMap<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Matcher jar = JAR.matcher(String.valueOf(Path.of(path).getFileName()));
            if (jar.matches()) {
                versions.put(jar.group(1), jar.group(2));
            }
        }
        return versions;
    }
}
