package dev.holdfast.lock.internal.admin;

/** What people are told of a failure. */
final class Failures {

    /** What to do about a store that does not answer. */
    static final String REACH = "see that the store runs, and that this machine may reach it there";

    private Failures() {}

    /** What it says of itself; never null. */
    static String message(Throwable failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
