package dev.holdfast.lock.cli.output;

import dev.holdfast.lock.admin.FailoverStatus;

/** The state of a composite for people. */
public final class FailoverText {

    private FailoverText() {}

    /** The store that grants, and the other one's part. */
    public static String grants(FailoverStatus status) {
        if (status.active().equals(status.primary())) {
            return status.primary() + ", the primary, while " + status.fallback() + " is the fallback";
        } else if (status.active().equals(status.fallback())) {
            return status.fallback() + ", the fallback, until " + status.primary() + " has been healthy for a while";
        }
        return "no store, during a transition between " + status.primary() + " and " + status.fallback();
    }
}
