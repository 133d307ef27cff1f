package dev.holdfast.lock.tck.model;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The possible state of one lock at a store, by the javadoc of {@link LockCommand}. Immutable. Where the contract or the recorded
 * times leave open what happened, an operation leads to several states; where it contradicts the reply, to none.
 *
 * @param queues whether the store has queues
 * @param holder the id whose lease has not ended; null if there is none
 * @param keptUntil the end of the minimum hold of a holder that has released; null if there is none
 * @param freeSince when the latest lease or minimum hold ended
 * @param tombstones the ids that were released with a tombstone, each with the time until which it is Gone
 * @param ended the ids that a store may remember as Gone: their lease ended, or they were released
 * @param queue the waiters in their order
 * @param window the claim window of the first waiter, if it is not the one that began when the lock became free
 * @param lastToken the greatest token in any reply
 */
public record LockModel(
        boolean queues,
        @Nullable Holder holder,
        @Nullable Span keptUntil,
        Span freeSince,
        Map<AcquisitionId, Span> tombstones,
        Set<AcquisitionId> ended,
        List<Waiter> queue,
        @Nullable Window window,
        long lastToken) {

    /** The token of a grant whose reply was lost. */
    private static final long UNKNOWN = 0;

    /** An owner's description of this length is never truncated. */
    private static final int SHORT_OWNER = 32;

    /** A lease. */
    record Holder(AcquisitionId id, String owner, long token, Span since, Span until) {

        Holder until(Span end) {
            return new Holder(id, owner, token, since, end);
        }
    }

    /** A waiter, and when it last sent an Acquire. */
    record Waiter(AcquisitionId id, String owner, Span seen) {

        /** When the place expires. */
        Span end() {
            return seen.plus(QueueTimes.WAITER_TTL);
        }
    }

    /** A claim window, and when it began. */
    record Window(AcquisitionId id, Span since) {}

    /** A lock that was never used. */
    public static LockModel unused(boolean queues) {
        return new LockModel(queues, null, null, new Span(0, 0), Map.of(), Set.of(), List.of(), null, 0);
    }

    /**
     * The states to which the operation may lead if it is executed now.
     *
     * @param why receives a sentence for each state that rules out the reply: what the reply should have been
     */
    List<LockModel> after(Operation operation, Span now, Consumer<String> why) {
        List<LockModel> states = new ArrayList<>();
        for (LockModel state : whenNothingCame(now)) {
            if (operation instanceof Operation.Executed executed) {
                state.execute(executed, now, why, states::add);
            } else if (operation instanceof Operation.Listed listed) {
                state.list(listed, now, why, states::add);
            } else {
                states.add(state); // a restart changes nothing
            }
        }
        return states;
    }

    // The passing of time

    /** The possible states of leases, minimum holds and places by now. */
    private List<LockModel> whenNothingCame(Span now) {
        List<LockModel> states = new ArrayList<>();
        if (holder != null && holder.until().mayHaveCome(now)) {
            states.add(change(next -> {
                next.holder = null;
                next.freeSince = clipped(holder.until(), now);
                next.ended.add(holder.id());
                next.window = null;
            }));
        }
        if (holder == null && keptUntil != null && keptUntil.mayHaveCome(now)) {
            states.add(change(next -> {
                next.keptUntil = null;
                next.freeSince = clipped(keptUntil, now);
                next.window = null;
            }));
        }
        if (holder != null && !holder.until().mustHaveCome(now)) {
            states.add(change(next -> next.holder = holder.until(ahead(holder.until(), now))));
        } else if (holder == null && keptUntil != null && !keptUntil.mustHaveCome(now)) {
            states.add(change(next -> next.keptUntil = ahead(keptUntil, now)));
        } else if (holder == null && keptUntil == null) {
            states.add(this);
        }
        return states.stream()
                .flatMap(state -> state.whenNoWaiterCame(now).stream())
                .toList();
    }

    /**
     * Drops the waiters whose places must have expired, and perhaps the first ones whose places may have. A waiter further behind
     * may stay in the model: it matters only when it asks again, becomes the first, or is listed.
     */
    private List<LockModel> whenNoWaiterCame(Span now) {
        LockModel living = change(next -> {
            boolean firstLeft = !queue.isEmpty() && queue.get(0).end().mustHaveCome(now);
            next.queue.removeIf(waiter -> waiter.end().mustHaveCome(now));
            next.reserveAnew(firstLeft, sinceFree(now));
        });
        List<LockModel> states = new ArrayList<>(List.of(living));
        while (!living.queue.isEmpty() && living.queue.get(0).end().mayHaveCome(now)) {
            living = living.change(next -> {
                next.queue.remove(0);
                next.reserveAnew(true, sinceFree(now));
            });
            states.add(living);
        }
        return states;
    }

    private Span sinceFree(Span now) {
        return new Span(Math.min(freeSince.from(), now.from()), now.to());
    }

    /** The end that has come by now. */
    private static Span clipped(Span end, Span now) {
        return new Span(end.from(), Math.max(end.from(), Math.min(end.to(), now.to())));
    }

    /** The end that has not come yet. */
    private static Span ahead(Span end, Span now) {
        return new Span(Math.max(end.from(), now.from()), end.to());
    }

    // Commands

    private void execute(Operation.Executed done, Span now, Consumer<String> why, Consumer<LockModel> to) {
        if (done.command() instanceof LockCommand.Acquire acquire) {
            acquire(acquire, done.reply(), now, why, to);
        } else if (done.command() instanceof LockCommand.Renew renew) {
            renew(renew, done.reply(), now, why, to);
        } else if (done.command() instanceof LockCommand.Release release) {
            release(release, done.reply(), now, why, to);
        }
    }

    private void acquire(
            LockCommand.Acquire acquire, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        AcquisitionId id = acquire.id();
        Holder own = leaseOf(id);
        if (own != null) {
            grantedAgain(own, reply, now, why, to);
            return;
        }
        Span tombstone = tombstones.get(id);
        boolean mustBeGone = tombstone != null && !tombstone.mayHaveCome(now);
        boolean mayBeGone = ended.contains(id) || (tombstone != null && !tombstone.mustHaveCome(now));
        if (reply instanceof LockReply.Gone && mayBeGone) {
            to.accept(this);
        } else if (reply instanceof LockReply.Gone) {
            why.accept("the id never held the lock and has no tombstone, so it must not be Gone");
        } else if (mustBeGone) {
            unless(reply, "the id was released with a tombstone that lasts, so it must be Gone", why);
        } else if (holder != null) {
            refuse(acquire, reply, now, timeLeft(holder.until(), now), "another id holds the lock", why, to);
        } else if (keptUntil != null) {
            refuse(acquire, reply, now, timeLeft(keptUntil, now), "a minimum hold keeps the lock", why, to);
        } else {
            acquireFree(acquire, reply, now, why, to);
        }
    }

    private void acquireFree(
            LockCommand.Acquire acquire, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        if (queue.isEmpty() || queue.get(0).id().equals(acquire.id())) {
            grant(acquire, reply, now, why, to);
            return;
        }
        Span end = claimWindow().since().plus(QueueTimes.CLAIM_WINDOW);
        if (end.mayHaveCome(now)) {
            LockModel dropped = change(next -> {
                next.queue.remove(0);
                next.reserveAnew(true, now);
            });
            if (dropped.queue.isEmpty() || dropped.queue.get(0).id().equals(acquire.id())) {
                dropped.grant(acquire, reply, now, why, to);
            } else {
                dropped.refuse(
                        acquire, reply, now, QueueTimes.CLAIM_WINDOW, "the lock is reserved for another id", why, to);
            }
        }
        if (!end.mustHaveCome(now)) {
            refuse(acquire, reply, now, QueueTimes.CLAIM_WINDOW, "the lock is reserved for another id", why, to);
        }
    }

    private void grant(
            LockCommand.Acquire acquire, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        long token = UNKNOWN;
        Span until = now.plus(acquire.lease());
        if (reply instanceof LockReply.Granted granted) {
            token = granted.token();
            until = now.plusAtLeast(granted.remaining()).and(until);
            if (token <= Math.max(lastToken, acquire.tokenFloor())) {
                why.accept("a new grant must have a token greater than " + Math.max(lastToken, acquire.tokenFloor()));
                return;
            }
            if (until == null) {
                why.accept("the remaining time of a new grant must be its lease of " + millis(acquire.lease()));
                return;
            }
        } else if (!(reply instanceof LockReply.Unavailable)) {
            why.accept("the lock is free and not reserved for another id, so it must be Granted");
            return;
        }
        Holder granted = new Holder(acquire.id(), acquire.owner(), token, now, until);
        to.accept(change(next -> {
            next.holder = granted;
            next.keptUntil = null;
            next.window = null;
            next.queue.removeIf(waiter -> waiter.id().equals(acquire.id()));
            next.lastToken = Math.max(lastToken, granted.token());
        }));
    }

    private void refuse(
            LockCommand.Acquire acquire,
            LockReply reply,
            Span now,
            Duration left,
            String because,
            Consumer<String> why,
            Consumer<LockModel> to) {
        boolean joins = acquire.queue() && queues;
        if (joins && (isUnanswered(reply) || reply instanceof LockReply.Queued)) {
            for (LockModel joined : joined(acquire, now)) {
                Duration latest = QueueTimes.retryAfter(left, joined.before(acquire.id()));
                latest = latest.compareTo(QueueTimes.CLAIM_WINDOW) < 0 ? QueueTimes.CLAIM_WINDOW : latest;
                Duration retryAfter = reply instanceof LockReply.Queued queued ? queued.retryAfter() : Duration.ZERO;
                within(retryAfter, latest, why, () -> to.accept(joined));
            }
        } else if (isUnanswered(reply)) {
            to.accept(this);
        } else if (!joins && reply instanceof LockReply.Busy busy) {
            LockModel asked = change(next -> next.queue.replaceAll(waiter -> waiter.id()
                            .equals(acquire.id())
                    ? new Waiter(
                            waiter.id(), waiter.owner(), new Span(waiter.seen().from(), now.to()))
                    : waiter));
            within(busy.retryAfter(), left, why, () -> to.accept(asked));
        } else {
            why.accept(because + ", so it must be " + (joins ? "Queued" : "Busy"));
        }
    }

    private static void within(Duration retryAfter, Duration latest, Consumer<String> why, Runnable then) {
        Span limit = new Span(0, 0).plus(latest);
        if (retryAfter.toNanos() <= limit.to()) {
            then.run();
        } else {
            why.accept("it must retry after " + millis(latest) + " at the latest");
        }
    }

    /** The waiter keeps its place, unless that has expired. */
    private List<LockModel> joined(LockCommand.Acquire acquire, Span now) {
        Waiter waiter = new Waiter(acquire.id(), acquire.owner(), now);
        int place = before(acquire.id());
        LockModel atTheEnd = change(next -> {
            next.queue.removeIf(other -> other.id().equals(acquire.id()));
            next.queue.add(waiter);
        });
        if (place == queue.size()) {
            return List.of(atTheEnd);
        }
        LockModel inPlace = change(next -> next.queue.set(place, waiter));
        return queue.get(place).end().mayHaveCome(now) ? List.of(inPlace, atTheEnd) : List.of(inPlace);
    }

    private void renew(
            LockCommand.Renew renew, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        Holder own = leaseOf(renew.id());
        if (own != null) {
            Span extended = own.until().orLater(now.plus(renew.lease()));
            grantedAgain(own.until(extended), reply, now, why, to);
        } else if (reply instanceof LockReply.Gone || isUnanswered(reply)) {
            to.accept(this);
        } else {
            why.accept("the id does not hold the lock, so its renewal must be Gone");
        }
    }

    /** @param own the lease of the id, as it is after the command */
    private void grantedAgain(Holder own, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        if (isUnanswered(reply)) {
            to.accept(change(next -> next.holder = own));
        } else if (!(reply instanceof LockReply.Granted granted)) {
            why.accept("the id holds the lock until " + text(own.until()) + ", so it must be Granted");
        } else if (own.token() == UNKNOWN ? granted.token() <= lastToken : granted.token() != own.token()) {
            why.accept("the id holds the lock, so it must be Granted with "
                    + (own.token() == UNKNOWN ? "a token above " + lastToken : "its token " + own.token()));
        } else {
            Span until = own.until().and(now.plusAtLeast(granted.remaining()));
            if (until == null) {
                why.accept("the id holds the lock until " + text(own.until()) + ", and its remaining time ends then");
                return;
            }
            to.accept(change(next -> {
                next.holder = new Holder(own.id(), own.owner(), granted.token(), own.since(), until);
                next.lastToken = Math.max(lastToken, granted.token());
            }));
        }
    }

    private void release(
            LockCommand.Release release, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        Holder own = leaseOf(release.id());
        boolean held = own != null;
        if (reply instanceof LockReply.Released released ? released.wasHeld() != held : !isUnanswered(reply)) {
            why.accept("the id " + (held ? "holds" : "does not hold")
                    + " the lock, so it must be Released with wasHeld = " + held);
            return;
        }
        LockModel ended = change(next -> {
            boolean wasFirst = !queue.isEmpty() && queue.get(0).id().equals(release.id());
            next.queue.removeIf(waiter -> waiter.id().equals(release.id()));
            next.reserveAnew(wasFirst, now);
            if (!release.tombstone().isZero()) {
                next.tombstones.merge(release.id(), now.plus(release.tombstone()), Span::orLater);
            }
            if (held) {
                next.ended.add(release.id());
                next.holder = null;
                next.freeSince = now;
                next.window = null;
            }
        });
        if (own == null || release.minimumHold().isZero()) {
            to.accept(ended);
            return;
        }
        Span end = own.since().plus(release.minimumHold());
        if (!end.mustHaveCome(now)) {
            to.accept(ended.change(next -> next.keptUntil = end));
        }
        if (end.mayHaveCome(now)) {
            to.accept(ended);
        }
    }

    // Listings

    private void list(Operation.Listed listed, Span now, Consumer<String> why, Consumer<LockModel> to) {
        Optional<LockInfo> shown = listed.shown();
        boolean visible = holder != null || keptUntil != null || !queue.isEmpty();
        if (shown.isEmpty() && visible && !(holder == null && keptUntil == null && mayBeHidden(now, List.of()))) {
            why.accept("the lock is " + (holder != null ? "held" : keptUntil != null ? "kept" : "waited for")
                    + ", so it must be listed");
        } else if (shown.isPresent() && !visible) {
            why.accept("the lock is neither held, kept nor waited for, so it must not be listed");
        } else if (shown.isEmpty() || matches(shown.get(), now, why)) {
            to.accept(this);
        }
    }

    private boolean matches(LockInfo info, Span now, Consumer<String> why) {
        if (info.holder().isPresent() != (holder != null)
                || (holder != null && !holder.id().equals(info.holder().get().id()))) {
            why.accept("the listed holder must be " + (holder == null ? "none" : holder.owner()));
            return false;
        }
        if (holder != null
                && holder.token() != UNKNOWN
                && holder.token() != info.holder().get().token()) {
            why.accept("the listed token must be " + holder.token());
            return false;
        }
        if (info.minimumHoldUntil().isPresent() != (holder == null && keptUntil != null)) {
            why.accept("the lock is " + (keptUntil == null ? "not " : "") + "kept by a minimum hold alone");
            return false;
        }
        if (!mayBeHidden(now, info.waitingOwners())) {
            why.accept("the listed waiters must be " + owners());
            return false;
        }
        return true;
    }

    /** Whether these are the waiters, but for a first one that missed its claim window. */
    private boolean mayBeHidden(Span now, List<String> waiters) {
        boolean isFree = holder == null && keptUntil == null;
        boolean missed = isFree
                && !queue.isEmpty()
                && claimWindow().since().plus(QueueTimes.CLAIM_WINDOW).mayHaveCome(now);
        return areThese(waiters, 0, now) || (missed && areThese(waiters, 1, now));
    }

    /** Whether these are the owners from this place on, but for those whose places may have expired. */
    private boolean areThese(List<String> shown, int from, Span now) {
        boolean[] reached = new boolean[shown.size() + 1]; // how many of the shown ones may be explained so far
        reached[0] = true;
        for (Waiter waiter : queue.subList(from, queue.size())) {
            boolean mayBeDead = waiter.end().mayHaveCome(now);
            for (int count = shown.size(); count >= 0; count--) {
                reached[count] = (mayBeDead && reached[count])
                        || (count > 0 && reached[count - 1] && isSame(waiter.owner(), shown.get(count - 1)));
            }
        }
        return reached[shown.size()];
    }

    /** Whether a store may show the owner so: it may truncate it. */
    static boolean isSame(String owner, String shown) {
        return owner.equals(shown) || (owner.length() > SHORT_OWNER && owner.startsWith(shown));
    }

    private List<String> owners() {
        return queue.stream().map(Waiter::owner).map(LockModel::shortened).toList();
    }

    static String shortened(String owner) {
        return owner.length() <= SHORT_OWNER ? owner : owner.substring(0, SHORT_OWNER) + "…";
    }

    // What is known

    private @Nullable Holder leaseOf(AcquisitionId id) {
        return holder != null && holder.id().equals(id) ? holder : null;
    }

    /** The number of waiters before this one. */
    private int before(AcquisitionId id) {
        return IntStream.range(0, queue.size())
                .filter(at -> queue.get(at).id().equals(id))
                .findFirst()
                .orElse(queue.size());
    }

    /** The window of the first waiter of a free lock. */
    private Window claimWindow() {
        return window != null ? window : new Window(queue.get(0).id(), freeSince);
    }

    private static Duration timeLeft(Span end, Span now) {
        return Duration.ofNanos(Math.max(0, end.to() - now.from()));
    }

    private static boolean isUnanswered(LockReply reply) {
        return reply instanceof LockReply.Unavailable;
    }

    private static void unless(LockReply reply, String demand, Consumer<String> why) {
        if (!isUnanswered(reply)) {
            why.accept(demand);
        }
    }

    static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
    }

    private static String text(Span span) {
        return String.format(Locale.ROOT, "%.1f to %.1f ms", span.from() / 1e6, span.to() / 1e6);
    }

    // Changes

    private LockModel change(Consumer<Next> change) {
        Next next = new Next(this);
        change.accept(next);
        return next.toModel();
    }

    /** The next state while it is made. */
    private static final class Next {
        private final boolean queues;
        private @Nullable Holder holder;
        private @Nullable Span keptUntil;
        private Span freeSince;
        private final Map<AcquisitionId, Span> tombstones;
        private final Set<AcquisitionId> ended;
        private final List<Waiter> queue;
        private @Nullable Window window;
        private long lastToken;

        Next(LockModel from) {
            queues = from.queues;
            holder = from.holder;
            keptUntil = from.keptUntil;
            freeSince = from.freeSince;
            tombstones = new HashMap<>(from.tombstones);
            ended = new HashSet<>(from.ended);
            queue = new ArrayList<>(from.queue);
            window = from.window;
            lastToken = from.lastToken;
        }

        /** The first waiter has left: if the lock is free, a window of the next one begins. */
        void reserveAnew(boolean firstLeft, Span since) {
            if (firstLeft && holder == null && keptUntil == null) {
                window = queue.isEmpty() ? null : new Window(queue.get(0).id(), since);
            }
        }

        LockModel toModel() {
            return new LockModel(
                    queues,
                    holder,
                    keptUntil,
                    freeSince,
                    Map.copyOf(tombstones),
                    Set.copyOf(ended),
                    List.copyOf(queue),
                    window,
                    lastToken);
        }
    }
}
