package dev.holdfast.lock.cli;

/** What to do when the lock is busy after all the waiting. */
enum IfBusy {
    /** End with {@link ExitStatus#BUSY}. */
    FAIL,
    /** Leave the command out and call it a success: another node runs it. */
    SKIP
}
