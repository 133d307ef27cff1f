package dev.holdfast.samples.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.net.URLEncoder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The content of a slot: a line with the last token, and one for each entry that has not expired, including waiters. Times are in
 * milliseconds by the server's clock. Not thread-safe.
 */
final class Slot {

    /** The most that the server's clock may be behind: it is right when a millisecond begins. */
    static final long TICK = 1;

    private final String read;
    private final List<Entry> entries = new ArrayList<>();

    /** By the encoded names of their locks. */
    private final Map<String, StoreQueue> queues = new LinkedHashMap<>();

    private long token;

    private Slot(String read) {
        this.read = read;
    }

    /** Leaves out expired entries: the next write deletes them. */
    static Slot parse(String text, long now) {
        Slot slot = new Slot(text);
        if (!text.isEmpty()) {
            String[] lines = text.split("\n", -1);
            slot.token = Long.parseLong(lines[0]);
            for (int line = 1; line < lines.length; line++) {
                slot.entries.add(Entry.parse(lines[line]));
            }
        }
        slot.restoreQueues();
        slot.expire(now);
        return slot;
    }

    private void restoreQueues() {
        Map<String, List<Entry>> waiting = entries.stream()
                .filter(Entry::isOfQueue)
                .collect(Collectors.groupingBy(Entry::name, LinkedHashMap::new, Collectors.toList()));
        entries.removeIf(Entry::isOfQueue);
        waiting.forEach((name, lines) -> {
            List<StoreQueue.ClaimWindow> windows = new ArrayList<>();
            List<StoreQueue.Place> places = new ArrayList<>();
            for (Entry line : lines) {
                if (line.state() == State.WAITS) {
                    places.add(new StoreQueue.Place(
                            line.acquisition(), "", Share.EXCLUSIVE, Instant.ofEpochMilli(line.since())));
                } else {
                    windows.add(new StoreQueue.ClaimWindow(line.acquisition(), Instant.ofEpochMilli(line.since())));
                }
            }
            queues.put(name, new StoreQueue(places, windows));
        });
    }

    /** Drops expired entries. A lock that became free by expiry is reserved for its first waiter from that time. */
    private void expire(long now) {
        for (Entry entry : List.copyOf(entries)) {
            if (entry.until() <= now) {
                entries.remove(entry);
                StoreQueue queue = queues.get(entry.name());
                if (entry.isBusy() && queue != null) {
                    queue.openClaimWindows(TakenPermits.NONE, Instant.ofEpochMilli(entry.until()));
                }
            }
        }
        queues.values().forEach(queue -> queue.dropExpired(Instant.ofEpochMilli(now)));
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
        queues.forEach((name, queue) -> {
            queue.places()
                    .forEach(place ->
                            text.append('\n').append(Entry.of(place, name).line()));
            queue.claimWindows()
                    .forEach(window ->
                            text.append('\n').append(Entry.of(window, name).line()));
        });
        return text.toString();
    }

    boolean isChanged() {
        return !text().equals(read);
    }

    /** The waiters of this lock, which are written with the slot. */
    StoreQueue queue(LockName name) {
        return queues.computeIfAbsent(Entry.encoded(name), any -> new StoreQueue());
    }

    /** After each command: a free lock is reserved for its first waiter. */
    void settle(LockName name, LockReply reply, long now) {
        boolean isKept =
                reply.equals(new LockReply.Released(true)) && busy(name).isPresent();
        queue(name).settle(reply, isKept, taken(name), Instant.ofEpochMilli(now));
    }

    /** A lock has one holder or one minimum hold at most. */
    TakenPermits taken(LockName name) {
        return busy(name).isPresent() ? TakenPermits.NONE.plus(Share.EXCLUSIVE) : TakenPermits.NONE;
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
                .filter(entry -> entry.isOf(name) && entry.isBusy())
                .findFirst();
    }

    void add(Entry entry) {
        entries.add(entry);
    }

    void remove(Entry entry) {
        entries.remove(entry);
    }

    /**
     * Greater than every earlier token of any name in this slot, so that nothing needs to be kept about an unused name;
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
        TOMBSTONE,
        /** The id has a place in the queue, in the order of the lines. */
        WAITS,
        /** The free lock is reserved for the id, which is the first of the queue. */
        RESERVED
    }

    /**
     * The state of one id, until the entry expires.
     *
     * @param name encoded, without a line break or a space
     * @param since when the lock was granted; of a waiter, when it last asked
     * @param until when the entry expires; a reservation exists only while the id waits
     */
    record Entry(State state, String id, long token, long since, long until, String name) {

        static Entry of(LockCommand command, State state, long token, long since, long until) {
            return new Entry(state, command.id().toString(), token, since, until, encoded(command.name()));
        }

        static Entry of(StoreQueue.Place place, String name) {
            return new Entry(
                    State.WAITS,
                    place.id().toString(),
                    0,
                    place.seen().toEpochMilli(),
                    place.expiry().toEpochMilli(),
                    name);
        }

        static Entry of(StoreQueue.ClaimWindow window, String name) {
            return new Entry(
                    State.RESERVED,
                    window.id().toString(),
                    0,
                    window.since().toEpochMilli(),
                    window.until().toEpochMilli(),
                    name);
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

        /** Whether the entry keeps the lock from other ids. */
        boolean isBusy() {
            return state == State.HELD || state == State.KEPT;
        }

        boolean isOfQueue() {
            return state == State.WAITS || state == State.RESERVED;
        }

        AcquisitionId acquisition() {
            return new AcquisitionId(
                    Long.parseUnsignedLong(id, 0, 16, 16), Long.parseUnsignedLong(id, 16, id.length(), 16));
        }

        boolean isOf(LockName other) {
            return name.equals(encoded(other));
        }

        static String encoded(LockName name) {
            return URLEncoder.encode(name.value(), UTF_8);
        }
    }
}
