package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the memory stores of one namespace share: the locks. {@link Step} and {@link Answer} in code, and meant to be read
 * beside their javadoc. Time comes from outside, so that a test decides how it passes.
 *
 * <p>Thread-safe: one step at a time.
 */
public class MemorySpace {

    private static final Map<Namespace, MemorySpace> SPACES = new ConcurrentHashMap<>();

    /** Who does not queue has to ask again: soon, as a step costs next to nothing here. */
    private static final Duration SOON = Duration.ofMillis(5);

    private final ReentrantLock turn = new ReentrantLock();
    private final Map<LockName, NameInUse> names = new HashMap<>();
    private final NavigableSet<Watch> watches = new TreeSet<>();
    private final Set<Consumer<Signal>> listeners = new CopyOnWriteArraySet<>();
    private volatile InstantSource clock;

    /** The greatest token of all names that were dropped. */
    private long floor;

    /**
     * Makes a space of its own, shared by the stores that {@link #open} makes.
     *
     * @param clock the store's clock
     */
    public MemorySpace(InstantSource clock) {
        this.clock = clock;
    }

    /** The space that all of this process shares under this name. It lasts as long as the process. */
    public static MemorySpace of(Namespace namespace) {
        return SPACES.computeIfAbsent(namespace, anyName -> new MemorySpace(steadyClock()));
    }

    /** Starts at the wall clock and then goes by {@link System#nanoTime}: nobody sets it. */
    private static InstantSource steadyClock() {
        Instant start = Instant.now();
        long startNanos = System.nanoTime();
        return () -> start.plusNanos(System.nanoTime() - startNanos);
    }

    /** A store of these locks. Closing it leaves them as they are. */
    public LockStore open() {
        return new MemoryLockStore(this);
    }

    /** Goes by another clock from now on. */
    public void goBy(InstantSource otherClock) {
        clock = otherClock;
    }

    /** The clock that decides. */
    public InstantSource clock() {
        return clock;
    }

    /** How many names anything is kept about. */
    public int namesInUse() {
        turn.lock();
        try {
            sweep(clock.instant());
            return names.size();
        } finally {
            turn.unlock();
        }
    }

    /** The locks whose names start like this and that are held, kept or waited for, at this instant. */
    List<LockInfo> look(String prefix) {
        turn.lock();
        try {
            Instant now = clock.instant();
            sweep(now);
            return names.entrySet().stream()
                    .filter(each -> each.getKey().value().startsWith(prefix))
                    .filter(each -> each.getValue().isHeldKeptOrWaitedFor())
                    .map(each -> each.getValue().shown(each.getKey()))
                    .sorted(Comparator.comparing(LockInfo::name))
                    .toList();
        } finally {
            turn.unlock();
        }
    }

    /** Tells this listener whose turn it is, until it is taken out again. */
    AutoCloseable signals(Consumer<Signal> to) {
        Consumer<Signal> subscription = signal -> to.accept(signal); // one for itself, though the same may listen twice
        listeners.add(subscription);
        subscription.accept(Signal.ANY);
        return () -> listeners.remove(subscription);
    }

    Answer carryOut(Step step) {
        Answer answer;
        AcquisitionId next = null;
        turn.lock();
        try {
            Instant now = clock.instant();
            sweep(now);
            NameInUse name = names.computeIfAbsent(step.name(), anyName -> new NameInUse(newQueue()));
            Promise before = name.queue.promise();
            AcquisitionId firstBefore = name.queue.first();
            try {
                endLease(name, now);
                answer = carryOut(step, name, now);
                name.promise(now);
                next = whomToTell(answer, before, firstBefore, name.queue);
            } finally {
                watchOrDrop(step.name(), name, now);
            }
        } finally {
            turn.unlock();
        }
        if (next != null) {
            signal(Signal.to(step.name(), next));
        }
        return answer;
    }

    /**
     * Whom the lock was promised just now; while it is not free, who has to learn when it will be: the first, after a release
     * with a minimum hold, or if another was the first.
     */
    @Nullable
    AcquisitionId whomToTell(
            Answer answer, @Nullable Promise before, @Nullable AcquisitionId firstBefore, Queue queue) {
        Promise promise = queue.promise();
        if (promise != null) {
            return promise.equals(before) ? null : promise.id();
        }
        boolean isKept = answer.equals(new Answer.Released(true));
        boolean hasLeft = answer.equals(new Answer.Released(false)) && !Objects.equals(firstBefore, queue.first());
        return isKept || hasLeft ? queue.first() : null;
    }

    Queue newQueue() {
        return new Queue();
    }

    void signal(Signal signal) {
        listeners.forEach(listener -> listener.accept(signal));
    }

    private Answer carryOut(Step step, NameInUse name, Instant now) {
        if (step instanceof Step.Acquire acquire) {
            return acquire(acquire, name, now);
        } else if (step instanceof Step.Renew renew) {
            return renew(renew, name, now);
        } else {
            return release((Step.Release) step, name, now);
        }
    }

    Answer acquire(Step.Acquire step, NameInUse name, Instant now) {
        Grant grant = name.grant;
        if (grant != null && isSame(grant.id(), step.id())) {
            return new Answer.Granted(grant.token(), remaining(grant, now));
        }
        if (name.isOver(step.id(), now)) {
            return new Answer.Gone();
        }
        if (grant != null) {
            return notBefore(grant.until(), step, name, now);
        }
        if (now.isBefore(name.keptUntil)) {
            return notBefore(name.keptUntil, step, name, now);
        }
        if (!name.queue.isTurnOf(step.id(), name.freeSince, now)) {
            return notBefore(Objects.requireNonNull(name.queue.promise()).since(), step, name, now);
        }
        long above =
                Math.min(step.above(), Answer.Granted.MAX_TOKEN); // to be added to: no number may be too great for that
        long token = nextToken(name, above, now);
        if (token > Answer.Granted.MAX_TOKEN) {
            throw new IllegalStateException("no token is left above " + Math.max(step.above(), name.lastToken));
        }
        name.lastToken = token;
        name.queue.served(step.id());
        name.grant = new Grant(step.id(), step.owner(), token, now, step.length(), endOf(now, step.length()));
        return new Answer.Granted(token, step.length());
    }

    Answer renew(Step.Renew step, NameInUse name, Instant now) {
        Grant grant = name.grant;
        if (grant == null || !isSame(grant.id(), step.id())) {
            return new Answer.Gone();
        }
        Grant renewed = grant.renewed(step.length(), endOf(now, step.length()));
        name.grant = renewed;
        return new Answer.Granted(renewed.token(), remaining(renewed, now));
    }

    Answer release(Step.Release step, NameInUse name, Instant now) {
        Grant grant = name.grant;
        boolean held = false;
        if (grant != null && isSame(grant.id(), step.id())) {
            name.keptUntil = step.keep().isZero() ? Instant.MIN : grant.since().plus(step.keep());
            name.freeSince = now.isBefore(name.keptUntil) ? name.keptUntil : now;
            name.grant = null;
            if (now.isBefore(name.keptUntil)) {
                name.rememberOver(step.id(), name.keptUntil);
            }
            held = true;
        }
        name.queue.withdraw(step.id());
        if (!step.remember().isZero()) {
            name.rememberOver(step.id(), now.plus(step.remember()));
        }
        return new Answer.Released(held);
    }

    /** A lease that is over ends at the next step, as nobody could tell the difference; for one lease more the id is known. */
    void endLease(NameInUse name, Instant now) {
        Grant grant = name.grant;
        if (grant != null && grant.isOver(now)) {
            name.rememberOver(grant.id(), grant.until().plus(grant.length()));
            name.freeSince = grant.until();
            name.grant = null;
        }
    }

    /** Greater than every earlier one of this name, also if the name was dropped since, or the clock went back. */
    long nextToken(NameInUse name, long above, Instant now) {
        long least = Math.max(Math.max(name.lastToken, above), floor) + 1;
        return Math.max(least, ChronoUnit.MICROS.between(Instant.EPOCH, now));
    }

    Instant endOf(Instant now, Duration length) {
        return now.plus(length);
    }

    Duration remaining(Grant grant, Instant now) {
        return Duration.between(now, grant.until());
    }

    boolean isSame(AcquisitionId holder, AcquisitionId asking) {
        return holder.equals(asking);
    }

    /** Not yet: a place in the queue, if one was asked for; a repetition keeps its place. */
    private static Answer notBefore(Instant free, Step.Acquire step, NameInUse name, Instant now) {
        Duration left = Duration.between(now, free);
        if (!step.queue()) {
            return new Answer.Busy(left.compareTo(SOON) < 0 && !left.isNegative() ? left : SOON);
        }
        name.queue.join(step.id(), step.owner(), now);
        return new Answer.Waiting(QueueTimes.askAgain(left, name.queue.before(step.id())));
    }

    /** Looks at the names at which something has come to its end. */
    private void sweep(Instant now) {
        while (!watches.isEmpty() && !now.isBefore(watches.first().at())) {
            LockName due = watches.first().name();
            NameInUse name = Objects.requireNonNull(names.get(due));
            endLease(name, now);
            watchOrDrop(due, name, now);
        }
    }

    private void watchOrDrop(LockName key, NameInUse name, Instant now) {
        name.tidy(now);
        if (name.watch != null) {
            watches.remove(name.watch);
            name.watch = null;
        }
        if (name.isIdle()) {
            floor = Math.max(floor, name.lastToken);
            names.remove(key);
        } else {
            name.watch = new Watch(name.nextChange(), key);
            watches.add(name.watch);
        }
    }
}
