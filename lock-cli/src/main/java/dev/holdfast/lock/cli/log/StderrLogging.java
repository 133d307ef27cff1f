package dev.holdfast.lock.cli.log;

import dev.holdfast.lock.cli.output.Messages;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Prints Holdfast's own warnings and errors, a line each, and nothing else. A failure in a driver or pool arrives as the cause of
 * an exception; a second report of it, with a stack trace, does not help at a terminal.
 */
public final class StderrLogging implements SLF4JServiceProvider {

    private static final String OWN_LOGGERS = "dev.holdfast.";
    /** The logger for leases: a command reports on its lease itself, with its exit status. */
    private static final String LEASES = "dev.holdfast.lock.leases";

    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new NOPMDCAdapter();

    /** For the service loader. */
    public StderrLogging() {}

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name ->
                name.startsWith(OWN_LOGGERS) && !name.equals(LEASES) ? new WarningLogger(name) : NOPLogger.NOP_LOGGER;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}

    private static final class WarningLogger extends LegacyAbstractLogger {
        private static final long serialVersionUID = 1L;

        WarningLogger(String name) {
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
            new Messages(System.err).print(cause == null ? message : message + ": " + cause);
        }
    }
}
