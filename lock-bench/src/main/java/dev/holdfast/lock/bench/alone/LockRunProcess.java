package dev.holdfast.lock.bench.alone;

import java.time.Instant;

/** A process that does nothing but to say when it began. */
final class LockRunProcess {

    private LockRunProcess() {}

    @SuppressWarnings("SystemOut") // a pipe to who started it
    public static void main(String[] arguments) {
        System.out.println(LockRun.nanos(Instant.now()));
    }
}
