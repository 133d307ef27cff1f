package dev.holdfast.lock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The public API of a module is documented, and equals the file {@code public-api.txt} in the module's folder, so that it does not
 * change unnoticed. Each module has a test that extends this class.
 */
@Tag("first-build")
@Execution(ExecutionMode.CONCURRENT)
public abstract class PublicApiRules {

    private final Supplier<List<String>> api;
    private final Supplier<List<String>> packages;
    private final Path expected;
    private final Path actual;

    /**
     * For subclasses.
     *
     * @param one class of the module
     * @param folder of the module, from where the tests run
     */
    protected PublicApiRules(Class<?> one, Path folder) {
        this(() -> PublicApi.ofModuleWith(one), () -> PublicApi.packagesOfModuleWith(one), folder);
    }

    /**
     * For subclasses, of a module without a descriptor.
     *
     * @param one class of the module
     * @param packages that users may build on
     * @param folder of the module, from where the tests run
     */
    protected PublicApiRules(Class<?> one, List<String> packages, Path folder) {
        this(() -> PublicApi.ofPackages(one, packages), () -> packages, folder);
    }

    private PublicApiRules(Supplier<List<String>> api, Supplier<List<String>> packages, Path folder) {
        this.api = api;
        this.packages = packages;
        this.expected = folder.resolve("public-api.txt").toAbsolutePath().normalize();
        this.actual = Path.of("target", expected.getParent().getFileName() + "-public-api.txt")
                .toAbsolutePath();
    }

    @Test
    void publicApi_isAsListed() throws IOException {
        List<String> now = api.get();
        Files.createDirectories(actual.getParent());
        Files.write(actual, now);
        List<String> before = Files.exists(expected) ? Files.readAllLines(expected) : List.of();
        String difference = difference(before, now);
        if (!difference.isEmpty()) {
            throw new AssertionError("the public API differs from " + expected + ".\n" + difference
                    + "If that is meant:\n  cp " + actual + " " + expected);
        }
    }

    @Test
    void publicApi_hasComments() throws IOException {
        List<String> missing = PublicApiComments.missing(expected.getParent(), packages.get());
        assertThat(missing.stream().filter(place -> !describesItself(place)))
                .as("public elements without a javadoc comment")
                .isEmpty();
    }

    /** Whether the element at this place (file and line) needs no comment. */
    protected boolean describesItself(String place) {
        return false;
    }

    /** The differences as text; empty if there are none. */
    static String difference(List<String> before, List<String> now) {
        Set<String> had = named(before);
        Set<String> has = named(now);
        String removed = list(had, has, "  - ");
        String added = list(has, had, "  + ");
        return (removed.isEmpty() ? "" : "Removed or changed, which breaks its users:\n" + removed)
                + (added.isEmpty() ? "" : "Added; an abstract member breaks implementations:\n" + added);
    }

    private static String list(Set<String> these, Set<String> without, String mark) {
        return these.stream()
                .filter(line -> !without.contains(line))
                .map(line -> mark + line + "\n")
                .collect(Collectors.joining());
    }

    /** Lines that stand alone: each member with the name of its type before it. */
    private static Set<String> named(List<String> lines) {
        Set<String> named = new LinkedHashSet<>();
        String type = "";
        for (String line : lines) {
            if (line.startsWith(PublicApi.INDENT)) {
                named.add(type + ": " + line.strip());
            } else {
                type = line.replaceFirst(": .*", "");
                named.add(line);
            }
        }
        return named;
    }
}
