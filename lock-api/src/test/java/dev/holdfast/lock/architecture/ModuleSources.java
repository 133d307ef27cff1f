package dev.holdfast.lock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The Java sources of all modules. Build folders are left out: other tests create and delete files there meanwhile. */
final class ModuleSources {

    /** The folder of the whole project. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private ModuleSources() {}

    /** The sources below this folder of each module that has it, and of the modules in {@code tests}. */
    static List<Path> of(String folder) throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> all = Files.list(ROOT);
                Stream<Path> tests = Files.list(ROOT.resolve("tests"))) {
            Stream<Path> modules =
                    all.filter(each -> each.getFileName().toString().startsWith("lock-"));
            for (Path module : Stream.concat(modules, tests).toList()) {
                sources.addAll(below(module.resolve(folder)));
            }
        }
        return sources;
    }

    /** The sources below this folder; none if it does not exist, as in a module that only lists versions. */
    static List<Path> below(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
