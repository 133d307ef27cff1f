package dev.holdfast.lock.cli.process;

/** The command could not be started; no part of it ran. */
public final class CommandStartException extends Exception {
    private static final long serialVersionUID = 1L;

    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;

    private final int exitStatus;

    private CommandStartException(int exitStatus, String message, Throwable cause) {
        super(message, cause);
        this.exitStatus = exitStatus;
    }

    static CommandStartException notFound(String command, Throwable cause) {
        return new CommandStartException(NOT_FOUND, command + ": not found", cause);
    }

    static CommandStartException notExecutable(String command, String reason, Throwable cause) {
        return new CommandStartException(NOT_EXECUTABLE, command + ": " + reason, cause);
    }

    /** The status a shell reports: 127 if the command does not exist, 126 if it exists but cannot be executed. */
    public int exitStatus() {
        return exitStatus;
    }
}
