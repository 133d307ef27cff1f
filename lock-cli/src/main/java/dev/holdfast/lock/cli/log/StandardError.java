package dev.holdfast.lock.cli.log;

import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Sends warnings of Holdfast's own to standard error, and nothing else anywhere: what goes wrong in a driver or a pool
 * arrives as the cause of an exception, and a second account of it, with a stack trace, helps nobody at a terminal.
 */
public final class StandardError implements SLF4JServiceProvider {

    private static final String OURS = "dev.holdfast.";

    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new BasicMDCAdapter();

    /** For the service loader. */
    public StandardError() {}

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> name.startsWith(OURS) ? new Warnings(name) : NOPLogger.NOP_LOGGER;
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
}
