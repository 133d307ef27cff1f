package dev.holdfast.lock.cli.command;

/** The command could not be started; nothing of it ran. */
public final class CannotRunException extends Exception {
    private static final long serialVersionUID = 1L;

    private static final int FOUND = 126;
    private static final int NOT_FOUND = 127;

    private final int status;

    private CannotRunException(int status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    static CannotRunException notFound(String command, Throwable cause) {
        return new CannotRunException(NOT_FOUND, command + ": not found", cause);
    }

    static CannotRunException notExecutable(String command, String why, Throwable cause) {
        return new CannotRunException(FOUND, command + ": " + why, cause);
    }

    /** As a shell reports it: 127 if there is no such command, 126 if there is one that cannot be executed. */
    public int status() {
        return status;
    }
}
