package dev.holdfast.lock.cli;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import java.nio.file.Files;
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

    /**
     * The store that is meant, by what is found first: the file of the option, the file that {@value #VARIABLE} names,
     * {@code lock.properties} in the working directory, the system's file, the environment alone; else the local one.
     *
     * @param option the file that was asked for
     * @param local whether the local one was asked for
     * @param system the system's file
     * @throws IllegalArgumentException if the local one was asked for and another one as well
     */
    static Store chosen(
            Optional<Path> option, boolean local, Map<String, String> environment, Path working, Path system) {
        boolean described = environment.containsKey("LOCK_PROVIDER") || environment.containsKey("LOCK_JDBC_URL");
        if (local) {
            if (option.isPresent()) {
                throw new IllegalArgumentException("--local and --config exclude each other");
            }
            if (described) {
                throw new IllegalArgumentException(
                        "--local, but the environment variable LOCK_PROVIDER or LOCK_JDBC_URL names another store");
            }
            return new Local(true);
        }
        if (option.isPresent()) {
            return new Described(option.get());
        }
        String named = environment.getOrDefault(VARIABLE, "");
        if (!named.isEmpty()) {
            return new Described(Path.of(named));
        }
        for (Path file : new Path[] {working.resolve("lock.properties"), system}) {
            if (Files.exists(file)) {
                return new Described(file);
            }
        }
        return described ? new InEnvironment() : new Local(false);
    }

    /**
     * What a file describes.
     *
     * @param file a {@code lock.properties}
     */
    record Described(Path file) implements Store {
        @Override
        public Locks open(Messages messages) {
            return Locks.open(file);
        }
    }

    /** What environment variables alone describe. */
    record InEnvironment() implements Store {
        @Override
        public Locks open(Messages messages) {
            return Locks.open(new Properties());
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
            return Locks.open(properties);
        }
    }
}
