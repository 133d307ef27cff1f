package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Carried;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A space whose grants may have come from another store, or may be on their way to one: each with its token and what is left of it. */
public final class RegimeSpace extends MemorySpace {

    private final Consumer<Signal> listener;
    /** Who gave back what is kept for its minimum hold. */
    private final Map<LockName, Grant> kept = new HashMap<>();

    /** Whose each name was last. */
    private final Map<LockName, AcquisitionId> last = new HashMap<>();

    private long above;
    private boolean keptStands;
    private Carried carried;

    /** @param listener told whose turn it is */
    public RegimeSpace(InstantSource clock, Consumer<Signal> listener) {
        super(clock);
        this.listener = listener;
    }

    /** Carries out a step; a grant has the next token above this. */
    public Answer carryOut(Step step, long highest) {
        above = highest;
        return carryOut(step);
    }

    /** From now on what is kept is in the way of whatever was granted later. */
    public void keptStands() {
        keptStands = true;
    }

    /**
     * Takes over what another store granted: Granted if it stands now, Gone if the lock is somebody else's or the id is over. What
     * is only kept gives way to what was granted later; and to say that it is kept says that its lease was given back.
     */
    public Answer put(Carried grant) {
        carried = grant;
        try {
            return carryOut(new Step.Acquire(grant.name(), grant.id(), grant.remaining(), false, 0, grant.owner()));
        } finally {
            carried = null;
        }
    }

    /** What is held or kept, by name. */
    public List<Carried> held() {
        Instant now = clock().instant();
        List<Carried> held = new ArrayList<>();
        for (LockInfo info : look("")) {
            info.holder()
                    .ifPresent(holder -> held.add(new Carried(
                            info.name(),
                            holder.id(),
                            holder.token(),
                            Duration.between(holder.since(), now),
                            Duration.between(now, holder.until()),
                            false,
                            holder.owner())));
            info.keptUntil().filter(now::isBefore).ifPresent(until -> {
                Grant grant = kept.get(info.name());
                held.add(new Carried(
                        info.name(),
                        grant.id(),
                        grant.token(),
                        Duration.between(grant.since(), now),
                        Duration.between(now, until),
                        true,
                        grant.owner()));
            });
        }
        return held;
    }

    @Override
    void signal(Signal signal) {
        listener.accept(signal);
    }

    @Override
    long nextToken(NameInUse name, long least, Instant now) {
        return Math.max(above, name.lastToken) + 1;
    }

    @Override
    Answer acquire(Step.Acquire step, NameInUse name, Instant now) {
        if (carried != null) {
            return take(carried, name, now);
        }
        Answer answer = super.acquire(step, name, now);
        if (answer instanceof Answer.Granted) {
            last.put(step.name(), step.id());
        }
        return answer;
    }

    private Answer take(Carried grant, NameInUse name, Instant now) {
        boolean isKept = now.isBefore(name.keptUntil);
        boolean isBusy = name.grant != null || isKept;
        Instant until = now.plus(grant.remaining());
        if (grant.id().equals(last.get(grant.name())) && (isBusy || !grant.kept())) {
            return again(grant, name, until, now);
        }
        boolean givesWay = isKept && !keptStands && kept.get(grant.name()).token() < grant.token();
        if ((isBusy && !givesWay) || (!grant.kept() && name.isOver(grant.id(), now))) {
            return new Answer.Gone();
        }
        Grant taken =
                new Grant(grant.id(), grant.owner(), grant.token(), now.minus(grant.age()), grant.remaining(), until);
        name.lastToken = Math.max(name.lastToken, grant.token());
        last.put(grant.name(), grant.id());
        if (grant.kept()) {
            keep(grant.name(), taken, name, until);
        } else {
            name.grant = taken;
            name.keptUntil = Instant.MIN;
        }
        return new Answer.Granted(grant.token(), grant.remaining());
    }

    /** Of the id that was there last. */
    private Answer again(Carried grant, NameInUse name, Instant until, Instant now) {
        if (name.grant != null && !grant.kept()) {
            name.grant = name.grant.renewed(grant.remaining(), until);
            return new Answer.Granted(name.grant.token(), Duration.between(now, name.grant.until()));
        } else if (!grant.kept()) {
            return new Answer.Gone();
        } else if (name.grant != null) {
            Grant givenBack = name.grant;
            name.grant = null;
            keep(grant.name(), givenBack, name, until);
        } else if (name.keptUntil.isBefore(until)) {
            keep(grant.name(), kept.get(grant.name()), name, until);
        }
        return new Answer.Granted(grant.token(), Duration.between(now, name.keptUntil));
    }

    private void keep(LockName key, Grant grant, NameInUse name, Instant until) {
        name.keptUntil = until;
        name.freeSince = until;
        name.rememberOver(grant.id(), until);
        kept.put(key, grant);
    }

    @Override
    Answer release(Step.Release step, NameInUse name, Instant now) {
        Grant grant = name.grant;
        Answer answer = super.release(step, name, now);
        if (grant != null && name.grant == null && now.isBefore(name.keptUntil)) {
            kept.put(step.name(), grant);
        }
        return answer;
    }
}
