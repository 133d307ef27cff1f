package dev.holdfast.lock.testing;

/** A failure that cannot be logged: it throws when it is asked for its message, as one may that looks its text up. */
public final class Unprintable extends RuntimeException {

    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
        throw new IllegalStateException("the text of this failure cannot be made, on purpose");
    }
}
