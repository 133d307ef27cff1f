package dev.holdfast.lock.cli;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of every subcommand that select the store. */
final class StoreOptions {

    private static final Path SYSTEM_FILE = Path.of("/etc/holdfast/lock.properties");

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--local",
            description = "Use the local store, which excludes only this user's processes on this machine.")
    private boolean local;

    @Option(names = "--config", paramLabel = "FILE", description = "The configuration, a lock.properties.")
    private @Nullable Path config;

    StoreConfig selected() {
        try {
            return StoreConfig.select(
                    Optional.ofNullable(config),
                    local,
                    System.getenv(),
                    System.getProperties(),
                    Path.of(""),
                    SYSTEM_FILE);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(requireNonNull(spec).commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
