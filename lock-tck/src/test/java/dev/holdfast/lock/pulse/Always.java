package dev.holdfast.lock.pulse;

/** What has to hold whatever stands still, as that two never hold a lock: no {@link Pulse} excuses it. */
public final class Always {

    private Always() {}

    /** Something that is asserted. */
    @FunctionalInterface
    public interface Assertion {
        void check();
    }

    /** Checks it. */
    public static void holds(Assertion assertion) {
        try {
            assertion.check();
        } catch (AssertionError e) {
            throw new Broken(e);
        }
    }

    /** Whether this failure is one of those, or comes of one. */
    static boolean isBroken(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof Broken) {
                return true;
            }
        }
        return false;
    }

    private static final class Broken extends AssertionError {
        private static final long serialVersionUID = 1;

        Broken(AssertionError e) {
            super(e.getMessage(), e);
        }
    }
}
