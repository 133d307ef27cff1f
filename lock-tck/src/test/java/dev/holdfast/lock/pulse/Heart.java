package dev.holdfast.lock.pulse;

/** Something that may stand still. */
@FunctionalInterface
public interface Heart extends AutoCloseable {

    /** Returns once there is an answer, whatever it says: who is dead says so at once, which is an answer, too. */
    void beat();

    /** It is not felt any more. Called by the same thread. */
    @Override
    default void close() {}
}
