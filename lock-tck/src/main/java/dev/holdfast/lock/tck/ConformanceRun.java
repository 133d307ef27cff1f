package dev.holdfast.lock.tck;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.ConformanceReport.Origin;
import dev.holdfast.lock.tck.ConformanceReport.Outcome;
import dev.holdfast.lock.tck.ConformanceReport.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** The outcomes of the tests of one class so far. Thread-safe: tests may run in parallel. */
final class ConformanceRun {

    private static final int TOO_MANY_HANGING = 3;

    private final AtomicInteger hanging = new AtomicInteger();
    private final Map<Rule, Outcome> outcomes = new ConcurrentHashMap<>();
    private final Map<Rule, String> done = new ConcurrentHashMap<>();
    private final AtomicReference<Opened> opened = new AtomicReference<>();

    private final Class<?> testClass;
    private final Path directory;
    private final OptionalInt histories;

    /**
     * @param directory of the report; the report of an earlier run is removed from it
     * @param histories the number that a rule records; empty for as many as the speed of the store allows
     */
    ConformanceRun(Class<?> testClass, Path directory, OptionalInt histories) {
        this.testClass = testClass;
        this.directory = directory;
        this.histories = histories;
        try {
            ConformanceReport.remove(directory, testClass.getName());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the conformance report of an earlier run cannot be removed from " + directory, e);
        }
    }

    /** Remembers the first store that was opened; the others are opened in the same way. */
    void opened(LockStoreContract contract, LockStore store) {
        if (opened.get() == null) {
            String provider = contract.configuration().getProperty("lock.provider");
            opened.compareAndSet(
                    null, new Opened(Optional.ofNullable(provider), origin(store.getClass()), store.capabilities()));
        }
    }

    OptionalInt histories() {
        return histories;
    }

    /** The extent of a rule that passes is part of its outcome. */
    void did(Rule rule, String what) {
        done.put(rule, what);
    }

    void passed(Rule rule) {
        found(rule, Outcome.because(Verdict.PASSED, done.getOrDefault(rule, "")));
    }

    /** The worst outcome counts if a rule is run more than once. */
    void found(Rule rule, Outcome outcome) {
        outcomes.merge(rule, outcome, (one, other) -> one.verdict().compareTo(other.verdict()) < 0 ? other : one);
    }

    /** To be called when a call to the store was abandoned. */
    void countHanging() {
        hanging.incrementAndGet();
    }

    /** The outcome of the remaining rules once several calls hang, as each of them takes minutes. */
    Optional<Outcome> outcomeOfHanging() {
        return hanging.get() < TOO_MANY_HANGING
                ? Optional.empty()
                : Optional.of(Outcome.because(
                        Verdict.NOT_RUN, TOO_MANY_HANGING + " calls to the store hang: the run was ended early"));
    }

    void write() {
        Optional<Opened> store = Optional.ofNullable(opened.get());
        ConformanceReport report = new ConformanceReport(
                testClass.getName(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version") + ", "
                        + System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                origin(LockStoreContract.class),
                origin(Locks.class),
                store.flatMap(Opened::provider),
                store.map(Opened::origin),
                store.map(Opened::capabilities).orElse(Set.of()),
                outcomes);
        try {
            report.write(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the conformance report cannot be written to " + directory + "; set " + LockStoreContract.REPORTS
                            + " to another directory",
                    e);
        }
    }

    /** Reads the jar itself, as a package in a module does not know its version. */
    private static Origin origin(Class<?> of) {
        CodeSource source = of.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return new Origin(of.getName(), Optional.empty(), Optional.empty());
        }
        Path jar;
        try {
            jar = Path.of(source.getLocation().toURI());
        } catch (URISyntaxException | RuntimeException e) { // not in the file system
            return new Origin(
                    of.getName(),
                    Optional.empty(),
                    Optional.of(source.getLocation().toString()));
        }
        return new Origin(of.getName(), version(jar), Optional.of(jar.toString()));
    }

    private static Optional<String> version(Path jar) {
        if (!Files.isRegularFile(jar)) {
            return Optional.empty();
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            return Optional.ofNullable(file.getManifest())
                    .map(Manifest::getMainAttributes)
                    .map(attributes -> attributes.getValue(Attributes.Name.IMPLEMENTATION_VERSION));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private record Opened(Optional<String> provider, Origin origin, Set<Capability> capabilities) {}
}
