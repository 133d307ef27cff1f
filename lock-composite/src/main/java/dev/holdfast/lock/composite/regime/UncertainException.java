package dev.holdfast.lock.composite.regime;

/**
 * Who grants is not known, as this process stood still for longer than a regime lease; it is about to learn it. No store was left
 * in doubt: none was asked, or it has answered. The {@code why} of an {@link dev.holdfast.lock.spi.Answer.Unavailable}.
 */
public final class UncertainException extends RuntimeException {

    private static final long serialVersionUID = 1;

    UncertainException() {
        super("who grants is not known: the authority was not asked in time", null, false, false);
    }
}
