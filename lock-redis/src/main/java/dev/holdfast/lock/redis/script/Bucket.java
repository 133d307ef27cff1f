package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.regime.Reign;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What the keys of one bucket begin with. Put together once: of a step's time on this side it would take the most. */
final class Bucket {

    private final byte[] lock;
    private final byte[] turn;
    private final byte[] gone;
    private final byte[] token;
    private final byte[] queue;
    private final byte[] seen;
    private final byte[] owners;
    private final byte[] mark;
    private final boolean isUnderReign;

    /** @param beginning of all its keys, with the braces that say the slot */
    Bucket(String beginning, Optional<Reign> reign) {
        String place = beginning + reign.map(its -> its.epoch() + ":").orElse("");
        lock = bytes(place + "lock:");
        turn = bytes(place + "turn:");
        gone = bytes(place + "gone:");
        token = bytes(place + "token");
        queue = bytes(place + "queue:");
        seen = bytes(place + "seen:");
        owners = bytes(place + "owners:");
        mark = bytes(beginning + "reign");
        isUnderReign = reign.isPresent();
    }

    /** The last token of a store that stands alone. */
    byte[] token() {
        return token;
    }

    /** A composite's mark. */
    byte[] mark() {
        return mark;
    }

    /** All that the scripts know about a name, in their order. */
    List<byte[]> keys(byte[] name, byte[] id) {
        return List.of(
                key(lock, name),
                key(turn, name),
                gone(id, name),
                isUnderReign ? mark : token,
                key(queue, name),
                key(seen, name),
                key(owners, name),
                mark);
    }

    /** Where a lock itself is. */
    byte[] lock(byte[] name) {
        return key(lock, name);
    }

    /** Where it says whose turn it is. */
    byte[] turn(byte[] name) {
        return key(turn, name);
    }

    /** Where whoever waits is. */
    byte[] queue(byte[] name) {
        return key(queue, name);
    }

    private byte[] gone(byte[] id, byte[] name) {
        byte[] key = Arrays.copyOf(gone, gone.length + id.length + 1 + name.length);
        System.arraycopy(id, 0, key, gone.length, id.length);
        key[gone.length + id.length] = ':';
        System.arraycopy(name, 0, key, gone.length + id.length + 1, name.length);
        return key;
    }

    private static byte[] key(byte[] kind, byte[] name) {
        byte[] key = Arrays.copyOf(kind, kind.length + name.length);
        System.arraycopy(name, 0, key, kind.length, name.length);
        return key;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
