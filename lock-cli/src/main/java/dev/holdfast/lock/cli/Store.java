package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** Which store is meant. */
sealed interface Store {

    /** The variable that names a configuration file. */
    String VARIABLE = "LOCK_CONFIG";

    /** Opens the locks in it. */
    Locks open(Messages messages);

    /** The operator's side of it. */
    LockAdmin admin(Messages messages);

    /** Why it is this one. */
    Choice choice();

    /** The file that describes it; empty if there is none. */
    default Optional<Path> description() {
        return Optional.empty();
    }

    /**
     * The store that is meant, by what is found first: the file of the option, the file that {@value #VARIABLE} names,
     * {@code lock.properties} in the working directory, the system's file, what overrides any file alone; else the local one.
     *
     * @param option the file that was asked for
     * @param local whether the local one was asked for
     * @param properties Java's system properties, which override files as the environment does
     * @param system the system's file
     * @throws IllegalArgumentException if the local one was asked for and another one as well
     */
    static Store chosen(
            Optional<Path> option,
            boolean local,
            Map<String, String> environment,
            Properties properties,
            Path working,
            Path system) {
        boolean described = environment.containsKey("LOCK_PROVIDER")
                || environment.containsKey("LOCK_JDBC_URL")
                || properties.containsKey("lock.provider")
                || properties.containsKey("lock.jdbc.url");
        if (local) {
            if (option.isPresent()) {
                throw new IllegalArgumentException("--local and --config exclude each other");
            }
            if (described) {
                throw new IllegalArgumentException(
                        "--local, but lock.provider or lock.jdbc.url, a system property or in the environment"
                                + " (LOCK_PROVIDER, LOCK_JDBC_URL), names another store");
            }
            return new Local(true);
        }
        if (option.isPresent()) {
            return new Described(option.get(), Choice.OPTION);
        }
        String named = environment.getOrDefault(VARIABLE, "");
        if (!named.isEmpty()) {
            return new Described(Path.of(named), Choice.VARIABLE);
        }
        Path here = working.resolve("lock.properties");
        if (isThere(here)) {
            return new Described(here, Choice.WORKING_DIRECTORY);
        }
        if (isThere(system)) {
            return new Described(system, Choice.SYSTEM);
        }
        return described ? new Overriding() : new Local(false);
    }

    /** Also one that may not be read, or a link to nowhere: to pass over it would be to exclude nobody. */
    private static boolean isThere(Path file) {
        return !Files.notExists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * What a file describes.
     *
     * @param file a {@code lock.properties}
     * @param choice how it was found
     */
    record Described(Path file, Choice choice) implements Store {
        @Override
        public Locks open(Messages messages) {
            return Locks.open(file);
        }

        @Override
        public LockAdmin admin(Messages messages) {
            return LockAdmin.of(file);
        }

        @Override
        public Optional<Path> description() {
            return Optional.of(file);
        }
    }

    /** What environment variables and system properties alone describe. */
    record Overriding() implements Store {
        @Override
        public Locks open(Messages messages) {
            return Locks.open(new Properties());
        }

        @Override
        public LockAdmin admin(Messages messages) {
            return LockAdmin.of(new Properties());
        }

        @Override
        public Choice choice() {
            return Choice.ENVIRONMENT;
        }
    }

    /**
     * SQLite under the user's home, as the system's user database knows it: the same in a login and in a cron job.
     *
     * @param known whether the user knows what it excludes
     */
    record Local(boolean known) implements Store {
        @Override
        public Locks open(Messages messages) {
            return Locks.open(properties(messages));
        }

        @Override
        public LockAdmin admin(Messages messages) {
            return LockAdmin.of(properties(messages));
        }

        @Override
        public Choice choice() {
            return known ? Choice.LOCAL : Choice.DEFAULT;
        }

        private Properties properties(Messages messages) {
            String home = System.getProperty("user.home");
            // What Java says of a user whom the user database does not know.
            if (home.isEmpty() || home.equals("?")) {
                throw new LockConfigurationException("this user has no home directory: give --config FILE");
            }
            Path file = Path.of(home, ".holdfast", "lock.db");
            if (!known) {
                messages.say(
                        "no lock.properties found: using " + file + ", which excludes only this user's processes on"
                                + " this machine (--local says that this is meant)");
            }
            Properties properties = new Properties();
            properties.setProperty("lock.provider", "jdbc");
            properties.setProperty("lock.jdbc.url", "jdbc:sqlite:" + file);
            return properties;
        }
    }
}
