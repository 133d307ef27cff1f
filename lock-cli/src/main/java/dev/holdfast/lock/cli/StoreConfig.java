package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.output.Messages;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * The configuration of the store to use, and why this one was selected.
 *
 * @param source the reason for its selection
 * @param file the configuration file, if there is one
 */
record StoreConfig(Source source, Optional<Path> file) {

    /** The environment variable that names a configuration file. */
    static final String VARIABLE = "LOCK_CONFIG";

    /** Why a configuration was selected. */
    enum Source {
        OPTION("--config", "named by --config"),
        VARIABLE(StoreConfig.VARIABLE, "named by the environment variable " + StoreConfig.VARIABLE),
        WORKING_DIRECTORY("working-directory", "found in the working directory"),
        SYSTEM("system", "the system's configuration, as the working directory has no lock.properties"),
        /** There is no file, but the environment or system properties name a store. */
        ENVIRONMENT(
                "environment",
                "no lock.properties found; LOCK_PROVIDER or LOCK_JDBC_URL, or the system property of that name, is set"),
        LOCAL("--local", "--local selects the local store, configured by lock itself"),
        DEFAULT(
                "default",
                "no lock.properties found, and neither LOCK_PROVIDER nor LOCK_JDBC_URL is set; using the local store,"
                        + " configured by lock itself");

        private final String keyword;
        private final String reason;

        Source(String keyword, String reason) {
            this.keyword = keyword;
            this.reason = reason;
        }

        /** The source as a keyword, for programs. */
        String keyword() {
            return keyword;
        }

        /** The source as half a sentence, for people. */
        String reason() {
            return reason;
        }
    }

    private static StoreConfig ofFile(Source source, Path file) {
        return new StoreConfig(source, Optional.of(file));
    }

    private static StoreConfig withoutFile(Source source) {
        return new StoreConfig(source, Optional.empty());
    }

    /**
     * Selects the first configuration that exists: the file of the option, the file that {@value #VARIABLE} names,
     * {@code lock.properties} in the working directory, the system's file, the environment and system properties alone, or else
     * the local store.
     *
     * @param option the file named on the command line
     * @param local whether the local store was requested
     * @param properties Java's system properties, which override files as the environment does
     * @param systemFile the system's file
     * @throws IllegalArgumentException if both the local store and another one were requested
     * @throws LockConfigurationException if root would use a file that another user may have written, or if {@value #VARIABLE} or
     *     the working directory is not text in this locale
     */
    static StoreConfig select(
            Optional<Path> option,
            boolean local,
            Map<String, String> environment,
            Properties properties,
            Path workingDirectory,
            Path systemFile) {
        boolean isNamed = environment.containsKey("LOCK_PROVIDER")
                || environment.containsKey("LOCK_JDBC_URL")
                || properties.containsKey("lock.provider")
                || properties.containsKey("lock.jdbc.url");
        if (local) {
            if (option.isPresent()) {
                throw new IllegalArgumentException("--local and --config exclude each other");
            }
            if (isNamed) {
                throw new IllegalArgumentException(
                        "--local, but lock.provider or lock.jdbc.url, as a system property or in the environment"
                                + " (LOCK_PROVIDER, LOCK_JDBC_URL), names another store: unset it, or omit --local");
            }
            return withoutFile(Source.LOCAL);
        }
        if (option.isPresent()) {
            return ofFile(Source.OPTION, option.get());
        }
        String named = environment.getOrDefault(VARIABLE, "");
        if (LocaleText.isDamaged(named)) {
            throw new LockConfigurationException(
                    "the environment variable " + VARIABLE + ", " + LocaleText.describe(named));
        }
        if (!named.isEmpty()) {
            return ofFile(Source.VARIABLE, Path.of(named));
        }
        String directory = properties.getProperty("user.dir", "");
        if (LocaleText.isDamaged(directory)) {
            throw new LockConfigurationException(
                    "lock.properties cannot be looked for, as the working directory " + LocaleText.describe(directory));
        }
        Path inWorkingDirectory = workingDirectory.resolve("lock.properties");
        if (exists(inWorkingDirectory)) {
            WorkingDirectoryFile.requireTrusted(inWorkingDirectory);
            return ofFile(Source.WORKING_DIRECTORY, inWorkingDirectory);
        }
        if (exists(systemFile)) {
            return ofFile(Source.SYSTEM, systemFile);
        }
        return withoutFile(isNamed ? Source.ENVIRONMENT : Source.DEFAULT);
    }

    /** True for an unreadable file and a dangling link too: skipping one would use another store, and exclude nothing. */
    private static boolean exists(Path file) {
        return !Files.notExists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Opens the locks in the store. */
    Locks open(Messages messages) {
        return file.map(Locks::open).orElseGet(() -> Locks.open(properties(messages)));
    }

    /** Opens the operator's side of the store. */
    LockAdmin admin(Messages messages) {
        return file.map(LockAdmin::of).orElseGet(() -> LockAdmin.of(properties(messages)));
    }

    private Properties properties(Messages messages) {
        return source == Source.ENVIRONMENT ? new Properties() : localStore(messages);
    }

    /** SQLite in the home directory that the user database names, which is the same in a login shell and in a cron job. */
    private Properties localStore(Messages messages) {
        String home = System.getProperty("user.home");
        // Java's value for a user who is missing from the user database.
        if (home.isEmpty() || home.equals("?")) {
            throw new LockConfigurationException("this user has no home directory: give --config FILE");
        }
        if (LocaleText.isDamaged(home)) {
            throw new LockConfigurationException("the home directory " + LocaleText.describe(home));
        }
        Path database = Path.of(home, ".holdfast", "lock.db");
        if (source == Source.DEFAULT) {
            messages.print("no lock.properties found: using " + database + ", which excludes only this user's processes"
                    + " on this machine (--local confirms that this is intended)");
        }
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "jdbc");
        properties.setProperty("lock.jdbc.url", "jdbc:sqlite:" + database);
        return properties;
    }
}
