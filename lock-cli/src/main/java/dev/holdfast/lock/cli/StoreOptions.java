package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of all subcommands that say which store is meant. */
final class StoreOptions {

    private static final Path SYSTEM = Path.of("/etc/holdfast/lock.properties");

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(names = "--local", description = "Use the local store, and know what it excludes.")
    private boolean local;

    @Option(names = "--config", paramLabel = "FILE", description = "The configuration, a lock.properties.")
    private @Nullable Path config;

    /** The store that is meant. */
    Store chosen() {
        try {
            return Store.chosen(
                    Optional.ofNullable(config), local, System.getenv(), System.getProperties(), Path.of(""), SYSTEM);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(requireNonNull(spec).commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
