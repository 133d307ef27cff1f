package dev.holdfast.lock.simulation;

import java.util.Random;

/** Loses, repeats and delays messages; heals at the end of a run. */
final class Network {

    private static final long MILLI = 1_000_000;

    private enum Age {
        NEW,
        FAULTY,
        CALM,
        HEALED
    }

    private Age age = Age.NEW;

    void breakDown() {
        age = Age.FAULTY;
    }

    /** Stops losing and delaying messages for a while. */
    void calmDown() {
        age = Age.CALM;
    }

    void heal() {
        age = Age.HEALED;
    }

    /** Whether nothing has failed yet. */
    boolean isNew() {
        return age == Age.NEW;
    }

    boolean isHealed() {
        return age == Age.HEALED;
    }

    private boolean isFaulty() {
        return age == Age.FAULTY;
    }

    boolean loses(Random random) {
        return isFaulty() && random.nextInt(100) < 7;
    }

    boolean repeats(Random random) {
        return isFaulty() && random.nextInt(100) < 7;
    }

    /** The network refuses half of the undeliverable messages at once and drops the others silently. */
    boolean refuses(Random random) {
        return random.nextBoolean();
    }

    /** Mostly under a millisecond, sometimes longer than the timeout of the call. */
    long delay(Random random) {
        long usual = random.nextLong(MILLI / 10, MILLI);
        return isFaulty() && random.nextInt(100) < 5 ? random.nextLong(2_000 * MILLI) : usual;
    }

    /** Long after the reply, possibly after the lease and its tombstone have expired. */
    long lateDelay(Random random) {
        return random.nextLong(4_000 * MILLI);
    }
}
