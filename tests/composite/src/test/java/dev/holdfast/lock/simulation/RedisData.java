package dev.holdfast.lock.simulation;

import dev.holdfast.lock.memory.TransferSpace;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What a server of the primary's has in memory, as the outcome of everything that was written there. */
final class RedisData {

    /** Something that is written, the same wherever and whenever it is written again. */
    @FunctionalInterface
    interface Write {
        void to(RedisData data);
    }

    /**
     * A write that was made.
     *
     * @param epoch among whose keys
     * @param at when, by the clock of the server that made it
     */
    record Written(long epoch, Instant at, Write write) {}

    private final InstantSource clock;
    private final Consumer<Notification> listener;
    /** What is to be made again to have the same data. */
    private final List<Written> history = new ArrayList<>();

    private final Map<Long, TransferSpace> keys = new HashMap<>();
    /** When the write that is made again was made. */
    private Instant then;
    /** The epoch in the record of the primary term; 0 if there is none. */
    private long recordedEpoch;

    private long base;
    private long counter;

    RedisData(InstantSource clock, Consumer<Notification> listener) {
        this.clock = clock;
        this.listener = listener;
    }

    long recordedEpoch() {
        return recordedEpoch;
    }

    /** Whether the tokens of the record are used up. */
    boolean isExhausted(long tokens) {
        return counter >= base + tokens;
    }

    /** The keys of this epoch. */
    TransferSpace keys(long epoch) {
        return keys.computeIfAbsent(
                epoch, any -> new TransferSpace(() -> then == null ? clock.instant() : then, this::tell));
    }

    private void tell(Notification notification) {
        if (then == null) {
            listener.accept(notification);
        }
    }

    LockReply carryOut(long epoch, LockCommand command) {
        LockReply reply = keys(epoch).carryOut(command, counter);
        if (reply instanceof LockReply.Granted granted) {
            counter = Math.max(counter, granted.token());
        }
        return reply;
    }

    void install(long epoch, long from) {
        recordedEpoch = epoch;
        base = from;
        counter = from;
        keys.keySet().removeIf(other -> other < epoch);
        history.removeIf(written -> written.epoch() < epoch);
    }

    void flush() {
        recordedEpoch = 0;
        keys.clear();
        history.clear();
    }

    /** This was made here just now. */
    Written written(long epoch, Write write) {
        Written written = new Written(epoch, clock.instant(), write);
        history.add(written);
        return written;
    }

    /** Makes what was made elsewhere. */
    void repeat(Written written) {
        then = written.at();
        written.write().to(this);
        then = null;
        history.add(written);
    }

    /** All of it, in another server. */
    void copyTo(RedisData other) {
        history.forEach(other::repeat);
    }
}
