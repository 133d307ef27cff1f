package dev.holdfast.lock.tck;

import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.internal.Tenure;
import dev.holdfast.lock.internal.TenuredStore;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** One opened store, and the questions that rules ask it. What a healthy store cannot answer breaks the rule. */
final class Client implements AutoCloseable {

    static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final LockStore store;
    private final Duration patience;
    private final boolean mayRecover;

    /** @param mayRecover whether the store may be unavailable for a while; otherwise that is a broken rule */
    Client(LockStore store, Duration patience, boolean mayRecover) {
        this.store = store;
        this.patience = patience;
        this.mayRecover = mayRecover;
    }

    LockStore store() {
        return store;
    }

    List<Answer> askAll(List<Step> steps) {
        return askAll(steps, TIMEOUT);
    }

    List<Answer> askAll(List<Step> steps, Duration timeout) {
        List<Answer> answers = store.apply(steps, timeout);
        if (answers.size() != steps.size()) {
            throw new Broken(steps.size() + " steps got " + answers.size() + " answers");
        }
        return answers;
    }

    Answer ask(Step step) {
        long start = System.nanoTime();
        while (mayRecover && System.nanoTime() - start < patience.toNanos()) {
            Answer answer = attempt(step, TIMEOUT);
            if (!(answer instanceof Answer.Unavailable)) {
                return answer;
            }
            Kit.pause(Kit.SOON);
        }
        return askAll(List.of(step)).get(0);
    }

    /** Asks a store that may be out of reach: what it throws is as good as Unavailable. */
    Answer attempt(Step step, Duration timeout) {
        try {
            return store.apply(List.of(step), timeout).get(0);
        } catch (RuntimeException e) {
            return new Answer.Unavailable(e);
        }
    }

    Answer acquire(LockName name, AcquisitionId id, Duration length) {
        return ask(acquiring(name, id, length));
    }

    static Step.Acquire acquiring(LockName name, AcquisitionId id, Duration length) {
        return acquiring(name, id, length, 0);
    }

    static Step.Acquire acquiring(LockName name, AcquisitionId id, Duration length, long above) {
        return new Step.Acquire(name, id, length, false, above, owner(id));
    }

    /** Asks for a place in the queue as well. */
    static Step.Acquire queueing(LockName name, AcquisitionId id, Duration length) {
        return new Step.Acquire(name, id, length, true, 0, owner(id));
    }

    /** What each id says of itself. */
    static String owner(AcquisitionId id) {
        return "kit " + id.toString().substring(0, 8); // short: a store may keep the beginning only
    }

    /** Acquires what must be free, for an id of its own. */
    Held grant(LockName name, Duration length) {
        return grant(acquiring(name, Kit.id(), length));
    }

    Held grant(Step.Acquire step) {
        long sent = System.nanoTime();
        return held(step, ask(step), sent);
    }

    /** Takes a place in the queue of a lock that is held or promised, for an id of its own. */
    AcquisitionId queue(LockName name) {
        AcquisitionId id = Kit.id();
        expectWaiting(name, id);
        return id;
    }

    void expectWaiting(LockName name, AcquisitionId id) {
        Step.Acquire step = queueing(name, id, Kit.LONG);
        expect(Answer.Waiting.class, step, ask(step));
    }

    /** Takes the lock for a waiter whose turn it is. */
    Held take(LockName name, AcquisitionId id) {
        return grant(queueing(name, id, Kit.LONG));
    }

    /** Acquires what becomes free sooner or later. */
    Held awaitGrant(LockName name, Duration length) {
        return awaitGrant(acquiring(name, Kit.id(), length));
    }

    /** Takes the lock for a waiter whose turn comes sooner or later. */
    Held awaitTurn(LockName name, AcquisitionId id) {
        return awaitGrant(queueing(name, id, Kit.LONG));
    }

    private Held awaitGrant(Step.Acquire step) {
        long start = System.nanoTime();
        while (true) {
            long sent = System.nanoTime();
            Answer answer = ask(step);
            if (!(answer instanceof Answer.Busy || answer instanceof Answer.Waiting)) {
                return held(step, answer, sent);
            }
            if (System.nanoTime() - start > patience.toNanos()) {
                throw new Broken("the lock is still busy after " + patience + ": " + step);
            }
            Kit.pause(Duration.ofMillis(5));
        }
    }

    private static Held held(Step.Acquire step, Answer answer, long sent) {
        Answer.Granted granted = expect(Answer.Granted.class, step, answer);
        return new Held(step.name(), step.id(), granted.token(), granted.remaining(), sent, System.nanoTime());
    }

    void expectBusy(LockName name) {
        expectBusy(name, Kit.id());
    }

    void expectBusy(LockName name, AcquisitionId id) {
        Step.Acquire step = acquiring(name, id, Kit.LONG);
        expect(Answer.Busy.class, step, ask(step));
    }

    void expectGone(Step step) {
        expect(Answer.Gone.class, step, ask(step));
    }

    /** That this grant still stands: its id gets the same token again. */
    void expectHeld(Held held) {
        Step.Acquire step = acquiring(held.name(), held.id(), Kit.LONG);
        Answer.Granted granted = expect(Answer.Granted.class, step, ask(step));
        if (granted.token() != held.token()) {
            throw new Broken("a repeated Acquire got token " + granted.token() + ", the grant had " + held.token());
        }
    }

    Answer renew(Held held, Duration length) {
        return ask(renewing(held, length));
    }

    Step.Renew renewing(Held held, Duration length) {
        return new Step.Renew(held.name(), held.id(), length);
    }

    /** Until when it counts for its holder, as far as is known now: a grant may depend on more than its own time. */
    long endOf(Held held) {
        Moment deadline = new Moment(held.validUntil(), Clock.SYSTEM.now().wallMillis());
        Tenure tenure = store instanceof TenuredStore tenured ? tenured.tenure() : Tenure.UNLIMITED;
        return tenure.end(held.name(), held.id(), deadline).nanos();
    }

    boolean release(Held held) {
        return release(held.name(), held.id(), Duration.ZERO, Duration.ZERO);
    }

    boolean release(LockName name, AcquisitionId id, Duration keep, Duration remember) {
        Step.Release step = new Step.Release(name, id, keep, remember);
        return expect(Answer.Released.class, step, ask(step)).wasHeld();
    }

    Stream<LockInfo> inspect(String prefix) {
        return store.inspect(prefix, TIMEOUT);
    }

    List<LockInfo> lookAt(String prefix) {
        try (Stream<LockInfo> shown = inspect(prefix)) {
            return shown.toList();
        }
    }

    /** What is shown of this lock, which must be shown. */
    LockInfo look(LockName name) {
        return lookAt(name.value()).stream()
                .filter(shown -> shown.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new Broken("'" + name + "' is not shown"));
    }

    static <A extends Answer> A expect(Class<A> kind, Step step, Answer answer) {
        if (!kind.isInstance(answer)) {
            Broken broken = new Broken("expected " + kind.getSimpleName() + " but was " + answer + "\n  for " + step);
            if (answer instanceof Answer.Unavailable unavailable) {
                broken.initCause(unavailable.why());
            }
            throw broken;
        }
        return kind.cast(answer);
    }

    @Override
    public void close() {
        store.close();
    }
}
