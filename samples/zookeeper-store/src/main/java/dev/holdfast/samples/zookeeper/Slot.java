package dev.holdfast.samples.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a slot contains: a line with the last token, and one for each entry that has not expired. Times are in milliseconds by the
 * server's clock. Not thread-safe.
 */
final class Slot {

    /** How far the server's clock may be behind: it is right when a millisecond begins. */
    static final long TICK = 1;

    private final List<Entry> entries = new ArrayList<>();
    private long token;
    private boolean changed;

    /** Leaves out what has expired: the next writing deletes it. */
    static Slot parse(String text, long now) {
        Slot slot = new Slot();
        if (!text.isEmpty()) {
            String[] lines = text.split("\n", -1);
            slot.token = Long.parseLong(lines[0]);
            for (int line = 1; line < lines.length; line++) {
                slot.entries.add(Entry.parse(lines[line]));
            }
        }
        slot.changed = slot.entries.removeIf(entry -> entry.until() <= now);
        return slot;
    }

    /** Empty if the text was not written by this class. */
    static Optional<Slot> tryParse(String text, long now) {
        try {
            return Optional.of(parse(text, now));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    String text() {
        StringBuilder text = new StringBuilder().append(token);
        entries.forEach(entry -> text.append('\n').append(entry.line()));
        return text.toString();
    }

    boolean isChanged() {
        return changed;
    }

    Optional<Entry> find(LockName name, AcquisitionId id) {
        return entries.stream()
                .filter(entry -> entry.isOf(name) && entry.id().equals(id.toString()))
                .findFirst();
    }

    Optional<Entry> held(LockName name, AcquisitionId id) {
        return find(name, id).filter(entry -> entry.state() == State.HELD);
    }

    Optional<Entry> busy(LockName name) {
        return entries.stream()
                .filter(entry -> entry.isOf(name) && entry.state() != State.TOMBSTONE)
                .findFirst();
    }

    void add(Entry entry) {
        entries.add(entry);
        changed = true;
    }

    void remove(Entry entry) {
        entries.remove(entry);
        changed = true;
    }

    /**
     * Greater than every token before, of any name of this slot, so that nothing needs to be kept about a name that is not in use;
     * and not less than the clock, in case the node was deleted by hand.
     */
    long nextToken(long tokenFloor, long now) {
        long above = Math.max(token, tokenFloor);
        if (above >= LockReply.Granted.MAX_TOKEN) {
            throw new IllegalStateException("no token is left above " + above);
        }
        token = Math.max(above + 1, now);
        return token;
    }

    enum State {
        /** The id holds the lock. */
        HELD,
        /** The id has released the lock, which stays busy until the end of the minimum hold. */
        KEPT,
        /** The id was released, and a late acquire must not be granted. The lock is free for other ids. */
        TOMBSTONE
    }

    /**
     * The state of one id, until the entry expires.
     *
     * @param name encoded, without a line break or a space
     * @param since when the lock was granted
     * @param until when the entry expires
     */
    record Entry(State state, String id, long token, long since, long until, String name) {

        static Entry of(LockCommand command, State state, long token, long since, long until) {
            return new Entry(state, command.id().toString(), token, since, until, encoded(command.name()));
        }

        static Entry parse(String line) {
            String[] parts = line.split(" ", -1);
            return new Entry(
                    State.valueOf(parts[0]),
                    parts[1],
                    Long.parseLong(parts[2]),
                    Long.parseLong(parts[3]),
                    Long.parseLong(parts[4]),
                    parts[5]);
        }

        String line() {
            return String.join(
                    " ", state.name(), id, Long.toString(token), Long.toString(since), Long.toString(until), name);
        }

        boolean isOf(LockName other) {
            return name.equals(encoded(other));
        }

        private static String encoded(LockName name) {
            return URLEncoder.encode(name.value(), UTF_8);
        }
    }
}
