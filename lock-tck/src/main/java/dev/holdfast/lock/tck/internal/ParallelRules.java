package dev.holdfast.lock.tck.internal;

import java.util.Map;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Settings of JUnit that run the rules of the kit in parallel, as they mostly wait: for projects without their own settings of
 * JUnit. Other classes still run one after the other, unless they ask for more.
 */
public final class ParallelRules implements LauncherSessionListener {

    private static final String FILE = "junit-platform.properties";
    private static final String ENABLED = "junit.jupiter.execution.parallel.enabled";

    private static final Map<String, String> SETTINGS = Map.of(
            ENABLED,
            "true",
            "junit.jupiter.execution.parallel.config.strategy",
            "fixed",
            "junit.jupiter.execution.parallel.config.fixed.parallelism",
            "12");

    private boolean isSet;

    /** For JUnit, which finds the class as a service. */
    public ParallelRules() {}

    /** Sets system properties, as JUnit has no other way to add a default. */
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        isSet = System.getProperty(ENABLED) == null && loader.getResource(FILE) == null;
        if (isSet) {
            SETTINGS.forEach(System::setProperty);
        }
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        if (isSet) {
            SETTINGS.keySet().forEach(System::clearProperty);
        }
    }
}
