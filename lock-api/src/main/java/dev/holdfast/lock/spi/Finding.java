package dev.holdfast.lock.spi;

/**
 * A finding about a store or its settings, for people.
 *
 * @param severity how bad it is
 * @param subject the subject in a word or two, such as {@code connection}
 * @param found the observation, in a sentence without secrets
 * @param advice the remedy, in a sentence; empty if there is nothing to do
 */
public record Finding(Severity severity, String subject, String found, String advice) {

    /** @throws IllegalArgumentException if the subject is blank */
    public Finding {
        if (subject.isBlank()) {
            throw new IllegalArgumentException("the subject of a finding must not be blank: " + found);
        }
    }

    /** The severity of a finding, the worst last. */
    public enum Severity {
        /** As it should be. */
        OK,
        /** Worth knowing; no promise is weaker. */
        NOTE,
        /** A promise is weaker in the described case. */
        WARNING,
        /** Locks do not work. */
        ERROR
    }

    /** All is well. */
    public static Finding ok(String subject, String found) {
        return new Finding(Severity.OK, subject, found, "");
    }

    /** Worth knowing. */
    public static Finding note(String subject, String found, String advice) {
        return new Finding(Severity.NOTE, subject, found, advice);
    }

    /** A promise is weaker. */
    public static Finding warning(String subject, String found, String advice) {
        return new Finding(Severity.WARNING, subject, found, advice);
    }

    /** Locks do not work. */
    public static Finding error(String subject, String found, String advice) {
        return new Finding(Severity.ERROR, subject, found, advice);
    }
}
