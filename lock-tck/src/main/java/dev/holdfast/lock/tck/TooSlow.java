package dev.holdfast.lock.tck;

/** What a test had to see came too late to show anything: it is checked anew, and what is always too late is broken. */
final class TooSlow extends Broken {
    private static final long serialVersionUID = 1L;

    TooSlow(String found) {
        super(found);
    }
}
