package dev.holdfast.lock.memory;

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
     * is only kept gives way to what was granted later.
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
        return carried == null ? super.acquire(step, name, now) : take(carried, name, now);
    }

    private Answer take(Carried grant, NameInUse name, Instant now) {
        Instant until = now.plus(grant.remaining());
        if (name.grant != null && name.grant.id().equals(grant.id()) && !grant.kept()) {
            name.grant = name.grant.renewed(grant.remaining(), until);
            return new Answer.Granted(name.grant.token(), Duration.between(now, name.grant.until()));
        }
        boolean isKeptAlready =
                now.isBefore(name.keptUntil) && kept.get(grant.name()).id().equals(grant.id()) && grant.kept();
        if (isKeptAlready) {
            return new Answer.Granted(grant.token(), Duration.between(now, name.keptUntil));
        } else if (name.grant != null
                || (now.isBefore(name.keptUntil)
                        && (keptStands || kept.get(grant.name()).token() >= grant.token()))
                || name.isOver(grant.id(), now)) {
            return new Answer.Gone();
        }
        Grant taken =
                new Grant(grant.id(), grant.owner(), grant.token(), now.minus(grant.age()), grant.remaining(), until);
        name.lastToken = Math.max(name.lastToken, grant.token());
        if (grant.kept()) {
            name.keptUntil = until;
            name.freeSince = until;
            name.rememberOver(grant.id(), until);
            kept.put(grant.name(), taken);
        } else {
            name.grant = taken;
            name.keptUntil = Instant.MIN;
        }
        return new Answer.Granted(grant.token(), grant.remaining());
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
