package dev.holdfast.lock.cli.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** A logger that prints warnings and errors, a line each. */
final class Warnings extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    Warnings(String name) {
        this.name = name;
    }

    @Override
    public boolean isTraceEnabled() {
        return false;
    }

    @Override
    public boolean isDebugEnabled() {
        return false;
    }

    @Override
    public boolean isInfoEnabled() {
        return false;
    }

    @Override
    public boolean isWarnEnabled() {
        return true;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String pattern,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable cause) {
        String message = MessageFormatter.basicArrayFormat(pattern, arguments);
        Message.say(System.err, cause == null ? message : message + ": " + cause);
    }
}
