package dev.holdfast.lock.cli;

import java.util.Map;

/**
 * The environment that the command inherits. The launcher gives Java a locale in which every argument can be passed on as it
 * is; the command gets the caller's.
 */
final class Environment {

    private static final String CALLERS = "holdfast.lc-all";

    private Environment() {}

    /** Undoes what the launcher changed. */
    static void restore(Map<String, String> environment) {
        String callers = System.getProperty(CALLERS);
        if (callers == null) {
            return;
        }
        if (callers.isEmpty()) {
            environment.remove("LC_ALL");
        } else {
            environment.put("LC_ALL", callers);
        }
    }
}
