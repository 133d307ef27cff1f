package dev.holdfast.lock.spi;

/**
 * Something that was found out about a store or its settings, for people.
 *
 * @param severity how bad it is
 * @param subject what it is about, in a word or two, such as {@code connection}
 * @param found what was found, in a sentence without secrets
 * @param advice what to do about it, in a sentence; empty if there is nothing to do
 */
public record Finding(Severity severity, String subject, String found, String advice) {

    /** @throws IllegalArgumentException if the subject is blank */
    public Finding {
        if (subject.isBlank()) {
            throw new IllegalArgumentException("what is it about? The subject is blank: " + found);
        }
    }

    /** How bad something is; the worst comes last. */
    public enum Severity {
        /** As it should be. */
        FINE,
        /** Worth knowing; no promise is weaker for it. */
        NOTE,
        /** A promise is weaker for it, in the case that it describes. */
        WARNING,
        /** Locks do not work like this. */
        ERROR
    }

    /** All is well. */
    public static Finding fine(String subject, String found) {
        return new Finding(Severity.FINE, subject, found, "");
    }

    /** Worth knowing. */
    public static Finding note(String subject, String found, String advice) {
        return new Finding(Severity.NOTE, subject, found, advice);
    }

    /** A promise is weaker for it. */
    public static Finding warning(String subject, String found, String advice) {
        return new Finding(Severity.WARNING, subject, found, advice);
    }

    /** Locks do not work like this. */
    public static Finding error(String subject, String found, String advice) {
        return new Finding(Severity.ERROR, subject, found, advice);
    }
}
