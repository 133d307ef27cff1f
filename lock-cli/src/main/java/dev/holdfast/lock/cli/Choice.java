package dev.holdfast.lock.cli;

/** Why it is this store and no other. */
enum Choice {
    /** {@code --config} names the file. */
    OPTION("--config", "--config names it"),
    /** {@code LOCK_CONFIG} names the file. */
    VARIABLE(Store.VARIABLE, "the environment variable " + Store.VARIABLE + " names it"),
    /** The file is where {@code lock} was started. */
    WORKING_DIRECTORY("working-directory", "it is in the working directory"),
    /** The file is where the system's are. */
    SYSTEM("system", "it is the system's, and there is none in the working directory"),
    /** There is no file. */
    ENVIRONMENT(
            "environment",
            "none was found, and LOCK_PROVIDER or LOCK_JDBC_URL is set, or the system property of that name"),
    /** {@code --local} asks for it. */
    LOCAL("--local", "--local asks for the local store, whose properties lock itself gives"),
    /** There is nothing else. */
    DEFAULT(
            "default",
            "none was found, nor LOCK_PROVIDER, LOCK_JDBC_URL or their system property; lock itself gives the properties of the local store");

    private final String word;
    private final String reason;

    Choice(String word, String reason) {
        this.word = word;
        this.reason = reason;
    }

    /** For programs. */
    String word() {
        return word;
    }

    /** For people, as half a sentence. */
    String reason() {
        return reason;
    }
}
