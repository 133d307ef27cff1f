package dev.holdfast.lock.tck.model;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The possible state of one lock at a store, by the javadoc of {@link LockCommand}. Immutable. Where the contract or the recorded
 * times leave open what happened, an operation leads to several states; where it contradicts the reply, to none.
 *
 * @param queues whether the store has queues
 * @param leases those that have not ended, in the order of their grants
 * @param kept what the minimum holds of holders that have released keep
 * @param tombstones the ids that were released with a tombstone, each with the time until which it is Gone
 * @param ended the ids that a store may remember as Gone: their lease ended, or they were released
 * @param queue the waiters in their order; the first ones are due
 * @param lastToken the greatest token in any reply
 */
public record LockModel(
        boolean queues,
        List<Granted> leases,
        List<Kept> kept,
        Map<AcquisitionId, Span> tombstones,
        Set<AcquisitionId> ended,
        List<Waiter> queue,
        long lastToken) {

    /** The token of a grant whose reply was lost. */
    static final long UNKNOWN = 0;

    /** The first waiters, among which a store looks for shares. */
    private static final int LOOKED_AT = 4;

    /** An owner's description of this length is never truncated. */
    private static final int SHORT_OWNER = 32;

    /**
     * A lease.
     *
     * @param above its token is greater than this, and
     * @param below less than this, even if it is unknown
     */
    record Granted(
            AcquisitionId id, String owner, Share share, long token, long above, long below, Span since, Span until) {

        Granted until(Span end) {
            return new Granted(id, owner, share, token, above, below, since, end);
        }

        Granted withToken(long known) {
            return new Granted(id, owner, share, known, above, below, since, until);
        }

        Granted between(long least, long most) {
            return new Granted(id, owner, share, token, Math.max(above, least), Math.min(below, most), since, until);
        }

        boolean mayHave(long shown) {
            return token == UNKNOWN ? above < shown && shown < below : token == shown;
        }
    }

    /** A share without a holder, and the end of its minimum hold. */
    record Kept(Share share, Span until) {

        Kept until(Span end) {
            return new Kept(share, end);
        }
    }

    /**
     * A waiter.
     *
     * @param seen when it last sent an Acquire
     * @param due when its claim window began; null if it is not due
     * @param isNoticed whether the store has looked at the queue since then: until it does, the window may begin later
     */
    record Waiter(
            AcquisitionId id,
            String owner,
            Share share,
            Span seen,
            @Nullable Span due,
            boolean isNoticed) {

        /** When the place expires. */
        Span end() {
            return seen.plus(QueueTimes.WAITER_TTL);
        }

        Waiter due(@Nullable Span since, boolean noticed) {
            return new Waiter(id, owner, share, seen, since, noticed);
        }

        Waiter seen(Span time) {
            return new Waiter(id, owner, share, time, due, isNoticed);
        }

        /** After the store has looked at the queue, and perhaps for the dead in it. */
        Waiter noticed(Span now, boolean withDeaths) {
            return due == null || (due.isOpen() && !withDeaths) ? this : due(due.come(now), true);
        }

        boolean mayBeginLater() {
            return due != null && !isNoticed;
        }

        /** After a command that need not look at the queue, and may be what the window begins with. */
        Waiter unnoticed(Span now) {
            return due == null || isNoticed ? this : due(due.or(new Span(due.from(), now.to())), false);
        }

        boolean mayHaveMissed(Span now) {
            return due != null && due.plus(QueueTimes.CLAIM_WINDOW).mayHaveCome(now);
        }

        boolean mustHaveMissed(Span now) {
            return due != null && due.plus(QueueTimes.CLAIM_WINDOW).mustHaveCome(now);
        }
    }

    /** A lock that was never used. */
    public static LockModel unused(boolean queues) {
        return new LockModel(queues, List.of(), List.of(), Map.of(), Set.of(), List.of(), 0);
    }

    /**
     * The states to which the operation may lead if it is executed now, and nothing else is due.
     *
     * @param why receives a sentence if the state rules out the reply: what the reply should have been
     */
    void execute(Operation operation, Span now, Consumer<String> why, Consumer<LockModel> to) {
        if (operation instanceof Operation.Executed executed) {
            execute(executed, now, why, to);
        } else if (!(operation instanceof Operation.Listed listed)
                || new ListingInOrder(this, now, why).matches(listed.shown())) {
            to.accept(this); // a restart changes nothing
        }
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
        Granted own = leaseOf(id);
        if (own != null) {
            grantedAgain(own, own, reply, now, why, to);
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
        } else {
            for (LockModel noticed : whenNoticed(acquire, now)) {
                for (LockModel state : noticed.whenWindowsWereMissed(id, now)) {
                    state.decide(acquire, reply, now, why, to);
                }
            }
        }
    }

    /** The states in which the store has noticed which waiters are due; while shares are out, an exclusive command need not do so. */
    private List<LockModel> whenNoticed(LockCommand command, Span now) {
        boolean withDeaths = command instanceof LockCommand.Acquire;
        LockModel noticed = change(next -> next.queue.replaceAll(waiter -> waiter.noticed(now, withDeaths)));
        boolean needNot = command.share().isExclusive() && shares().stream().anyMatch(share -> !share.isExclusive());
        return needNot && queue.stream().anyMatch(Waiter::mayBeginLater)
                ? List.of(noticed, change(next -> next.queue.replaceAll(waiter -> waiter.unnoticed(now))))
                : List.of(noticed);
    }

    /** The states in which waiters that may have missed their claim windows were dropped, or not. */
    private List<LockModel> whenWindowsWereMissed(AcquisitionId asking, Span now) {
        List<LockModel> states = List.of(this);
        for (Waiter waiter : queue) {
            if (waiter.mayHaveMissed(now) && !waiter.id().equals(asking)) {
                states = PassageOfTime.few(states).stream()
                        .flatMap(state -> Stream.of(state.without(waiter, now), state))
                        .toList();
            }
        }
        return states;
    }

    /** @param since when those that become due by that may have become due */
    LockModel without(Waiter waiter, Span since) {
        return change(next -> {
            next.remove(waiter.id());
            next.openClaimWindows(since, !since.isOpen());
        });
    }

    private void decide(
            LockCommand.Acquire acquire, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        List<Waiter> before = queue.subList(0, before(acquire.id()));
        if (taken(before).plus(acquire.share()).areCompatible()) {
            grant(acquire, reply, now, why, to);
        } else if (before.stream()
                .noneMatch(waiter -> waiter.mustHaveMissed(now))) { // such a one must have been dropped
            Span free = freeFor(acquire.share());
            refuse(acquire, reply, now, free == null ? QueueTimes.CLAIM_WINDOW : timeLeft(free, now), why, to);
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
        long above = Math.max(lastToken, acquire.tokenFloor());
        Granted lease =
                new Granted(acquire.id(), acquire.owner(), acquire.share(), UNKNOWN, above, Long.MAX_VALUE, now, until);
        long known = token;
        to.accept(change(next -> {
            next.remove(acquire.id());
            next.leases.add(lease);
            next.learn(lease, known);
            next.openClaimWindows(now, true);
        }));
    }

    private void refuse(
            LockCommand.Acquire acquire,
            LockReply reply,
            Span now,
            Duration left,
            Consumer<String> why,
            Consumer<LockModel> to) {
        boolean joins = acquire.queue() && queues;
        if (joins && (isUnanswered(reply) || reply instanceof LockReply.Queued)) {
            for (LockModel joined : joined(acquire, now)) {
                Duration latest = QueueTimes.retryAfter(left, joined.placeOf(acquire.id()));
                latest = latest.compareTo(QueueTimes.CLAIM_WINDOW) < 0 ? QueueTimes.CLAIM_WINDOW : latest;
                Duration retryAfter = reply instanceof LockReply.Queued queued ? queued.retryAfter() : Duration.ZERO;
                within(retryAfter, latest, why, () -> to.accept(joined));
            }
        } else if (isUnanswered(reply)) {
            to.accept(this);
        } else if (!joins && reply instanceof LockReply.Busy busy) {
            LockModel asked =
                    change(next -> next.queue.replaceAll(waiter -> waiter.id().equals(acquire.id())
                            ? waiter.seen(new Span(waiter.seen().from(), now.to()))
                            : waiter));
            within(busy.retryAfter(), left, why, () -> to.accept(asked));
        } else {
            why.accept(whyRefused(acquire.share()) + ", so it must be " + (joins ? "Queued" : "Busy"));
        }
    }

    private String whyRefused(Share share) {
        if (freeFor(share) == null) {
            return "the lock is reserved for another id";
        } else if (leases.isEmpty()) {
            return "a minimum hold keeps the lock";
        }
        return share.isExclusive() ? "another id holds the lock" : "other ids hold the lock with " + shares();
    }

    private List<Share> shares() {
        return Stream.concat(leases.stream().map(Granted::share), kept.stream().map(Kept::share))
                .toList();
    }

    /** When those leases and minimum holds have ended that leave no room for this share; null if there is room. */
    private @Nullable Span freeFor(Share share) {
        List<Kept> left = new ArrayList<>(kept);
        leases.forEach(lease -> left.add(new Kept(lease.share(), lease.until())));
        left.sort(Comparator.comparingLong(each -> each.until().to()));
        Span free = null;
        while (!TakenPermits.of(left.stream().map(Kept::share).toList())
                .plus(share)
                .areCompatible()) {
            free = left.remove(0).until();
        }
        return free;
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
        Waiter waiter = new Waiter(acquire.id(), acquire.owner(), acquire.share(), now, null, false);
        int place = before(acquire.id());
        LockModel atTheEnd = change(next -> {
            next.remove(acquire.id());
            next.queue.add(waiter);
            next.openClaimWindows(now, true);
        });
        if (place == queue.size()) {
            return List.of(atTheEnd);
        }
        LockModel inPlace =
                change(next -> next.queue.set(place, queue.get(place).seen(now)));
        return queue.get(place).end().mayHaveCome(now) ? List.of(inPlace, atTheEnd) : List.of(inPlace);
    }

    private void renew(
            LockCommand.Renew renew, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        Granted own = leaseOf(renew.id());
        if (own != null) {
            Span extended = own.until().orLater(now.plus(renew.lease()));
            grantedAgain(own, own.until(extended), reply, now, why, to);
        } else if (reply instanceof LockReply.Gone || isUnanswered(reply)) {
            to.accept(this);
        } else {
            why.accept("the id does not hold the lock, so its renewal must be Gone");
        }
    }

    /** @param after the lease of the id, as it is after the command */
    private void grantedAgain(
            Granted own, Granted after, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        if (isUnanswered(reply)) {
            to.accept(change(next -> next.replace(own, after)));
        } else if (!(reply instanceof LockReply.Granted granted)) {
            why.accept("the id holds the lock until " + text(own.until()) + ", so it must be Granted");
        } else if (!own.mayHave(granted.token())) {
            why.accept("the id holds the lock, so it must be Granted with "
                    + (own.token() == UNKNOWN ? "a token above " + own.above() : "its token " + own.token()));
        } else {
            Span until = after.until().and(now.plusAtLeast(granted.remaining()));
            if (until == null) {
                why.accept("the id holds the lock until " + text(after.until()) + ", and its remaining time ends then");
                return;
            }
            to.accept(change(next -> {
                next.replace(own, own.until(until));
                next.learn(own.until(until), granted.token());
            }));
        }
    }

    private void release(
            LockCommand.Release release, LockReply reply, Span now, Consumer<String> why, Consumer<LockModel> to) {
        Granted own = leaseOf(release.id());
        boolean held = own != null;
        if (reply instanceof LockReply.Released released ? released.wasHeld() != held : !isUnanswered(reply)) {
            why.accept("the id " + (held ? "holds" : "does not hold")
                    + " the lock, so it must be Released with wasHeld = " + held);
            return;
        }
        for (LockModel state : whenNoticed(release, now)) {
            if (own == null || release.minimumHold().isZero()) {
                to.accept(state.released(release, own, null, now));
                continue;
            }
            Span end = own.since().plus(release.minimumHold());
            if (!end.mustHaveCome(now)) {
                to.accept(state.released(release, own, end, now));
            }
            if (end.mayHaveCome(now)) {
                to.accept(state.released(release, own, null, now));
            }
        }
    }

    /** @param keptUntil the end of the minimum hold; null if that is over, or the id had no lease */
    private LockModel released(LockCommand.Release release, @Nullable Granted own, @Nullable Span keptUntil, Span now) {
        return change(next -> {
            next.remove(release.id());
            if (!release.tombstone().isZero()) {
                next.tombstones.merge(release.id(), now.plus(release.tombstone()), Span::orLater);
            }
            if (own != null) {
                next.end(own);
            }
            if (own != null && keptUntil != null) {
                next.kept.add(new Kept(own.share(), keptUntil));
            }
            next.openClaimWindows(now, true);
        });
    }

    // What is known

    private @Nullable Granted leaseOf(AcquisitionId id) {
        return leases.stream()
                .filter(lease -> lease.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    /** What is taken by holders, minimum holds and these waiters. */
    private TakenPermits taken(List<Waiter> before) {
        TakenPermits taken = TakenPermits.of(shares());
        for (Waiter waiter : before) {
            taken = taken.plus(waiter.share());
        }
        return taken;
    }

    /** The number of waiters before this one. */
    private int before(AcquisitionId id) {
        return IntStream.range(0, queue.size())
                .filter(at -> queue.get(at).id().equals(id))
                .findFirst()
                .orElse(queue.size());
    }

    /** The same as {@link QueueTimes#retryAfter} counts it: several waiters may leave at once if they do not ask for the whole lock. */
    private int placeOf(AcquisitionId id) {
        int before = before(id);
        boolean isBehindShares = queue.subList(0, Math.min(before, LOOKED_AT)).stream()
                .anyMatch(waiter -> !waiter.share().isExclusive());
        return isBehindShares ? 1 : before;
    }

    /** Whether a store may show the owner so: it may truncate it. */
    static boolean isSame(String owner, String shown) {
        return owner.equals(shown) || (owner.length() > SHORT_OWNER && owner.startsWith(shown));
    }

    static String shortened(String owner) {
        return owner.length() <= SHORT_OWNER ? owner : owner.substring(0, SHORT_OWNER) + "…";
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

    LockModel change(Consumer<Next> change) {
        Next next = new Next(this);
        change.accept(next);
        return next.toModel();
    }

    /** The next state while it is made. */
    static final class Next {
        private final boolean queues;
        private final List<Granted> leases;
        private final List<Kept> kept;
        private final Map<AcquisitionId, Span> tombstones;
        private final Set<AcquisitionId> ended;
        private final List<Waiter> queue;
        private long lastToken;

        Next(LockModel from) {
            queues = from.queues;
            leases = new ArrayList<>(from.leases);
            kept = new ArrayList<>(from.kept);
            tombstones = new HashMap<>(from.tombstones);
            ended = new HashSet<>(from.ended);
            queue = new ArrayList<>(from.queue);
            lastToken = from.lastToken;
        }

        void replace(Granted lease, Granted by) {
            leases.set(leases.indexOf(lease), by);
        }

        void replace(Kept each, Kept by) {
            kept.set(kept.indexOf(each), by);
        }

        void end(Granted lease) {
            leases.remove(lease);
            ended.add(lease.id());
        }

        void end(Kept each) {
            kept.remove(each);
        }

        /** The token of a lease is known: earlier grants have smaller ones, later ones greater. */
        void learn(Granted lease, long token) {
            if (token == UNKNOWN) {
                return;
            }
            int at = leases.indexOf(lease);
            for (int other = 0; other < leases.size(); other++) {
                leases.set(
                        other,
                        leases.get(other).between(other > at ? token : UNKNOWN, other < at ? token : Long.MAX_VALUE));
            }
            leases.set(at, leases.get(at).withToken(token));
            lastToken = Math.max(lastToken, token);
        }

        void remove(AcquisitionId waiter) {
            queue.removeIf(each -> each.id().equals(waiter));
        }

        /**
         * Waiters are due whose shares are compatible with what is taken and waited for before them; a window is kept while it lasts.
         *
         * @param isNoticed whether the store looks at the queue
         */
        void openClaimWindows(Span since, boolean isNoticed) {
            TakenPermits all = TakenPermits.NONE;
            for (Granted lease : leases) {
                all = all.plus(lease.share());
            }
            for (Kept each : kept) {
                all = all.plus(each.share());
            }
            for (int at = 0; at < queue.size(); at++) {
                Waiter waiter = queue.get(at);
                all = all.plus(waiter.share());
                if (!all.areCompatible()) {
                    queue.set(at, waiter.due(null, false));
                } else if (waiter.due() == null) {
                    queue.set(at, waiter.due(since, isNoticed));
                }
            }
        }

        LockModel toModel() {
            return new LockModel(
                    queues,
                    List.copyOf(leases),
                    List.copyOf(kept),
                    Map.copyOf(tombstones),
                    Set.copyOf(ended),
                    List.copyOf(queue),
                    lastToken);
        }
    }
}
