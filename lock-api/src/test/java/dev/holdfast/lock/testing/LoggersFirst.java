package dev.holdfast.lock.testing;

import org.junit.jupiter.api.extension.Extension;
import org.slf4j.LoggerFactory;

/**
 * Initializes SLF4J before the tests begin: of several threads that make the first loggers at once, one may get a logger that never
 * writes, and a test would miss its line. JUnit finds this extension by itself.
 */
public final class LoggersFirst implements Extension {

    /** For the service loader, on the thread that starts the tests. */
    public LoggersFirst() {
        var unused = LoggerFactory.getILoggerFactory();
    }
}
