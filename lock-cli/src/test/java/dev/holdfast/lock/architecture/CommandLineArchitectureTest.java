package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import dev.holdfast.lock.cli.Main;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import org.junit.jupiter.api.Test;

/** Rules for the SQL and Redis stores and the command line. */
class CommandLineArchitectureTest extends ArchitectureRules {

    CommandLineArchitectureTest() {
        super(Main.class, JdbcLockProvider.class, RedisLockProvider.class);
    }

    /**
     * The subcommands use processes and output, which know nothing of each other, the page of top and the terminal; the service
     * loader alone uses the log.
     */
    @Test
    void commandLine_layers_dependInOneDirection() {
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("dev.holdfast.lock.cli..")
                .layer("commands")
                .definedBy("dev.holdfast.lock.cli")
                .layer("process")
                .definedBy("dev.holdfast.lock.cli.process..")
                .layer("output")
                .definedBy("dev.holdfast.lock.cli.output..")
                .layer("top")
                .definedBy("dev.holdfast.lock.cli.top..")
                .layer("terminal")
                .definedBy("dev.holdfast.lock.cli.terminal..")
                .layer("log")
                .definedBy("dev.holdfast.lock.cli.log..")
                .whereLayer("commands")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("log")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("top")
                .mayOnlyBeAccessedByLayers("commands")
                .whereLayer("terminal")
                .mayOnlyBeAccessedByLayers("commands")
                .whereLayer("process")
                .mayOnlyBeAccessedByLayers("commands", "terminal")
                .whereLayer("output")
                .mayOnlyBeAccessedByLayers("commands", "log", "top")
                .check(ours);
    }
}
