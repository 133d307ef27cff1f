package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@code /actuator/locks}: the locks that are held, kept by a minimum hold or waited for. Releasing one by force needs {@code
 * management.endpoint.locks.access=unrestricted}.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;

    private final LockAdmin admin;

    /** @param admin of the store whose locks are shown */
    public LocksEndpoint(LockAdmin admin) {
        this.admin = admin;
    }

    /**
     * One page of locks, in the order of their names. Tokens are text: a JSON number loses its last digits in JavaScript and jq.
     *
     * @param prefix the beginning of the names; all names if it is missing
     * @param after the last name of the page before; the first page, if it is missing
     * @param limit the maximum number of locks; 100 if it is missing, and at most 1000
     */
    @ReadOperation
    @SuppressWarnings("deprecation") // Boot 3 recognizes an optional parameter only by Spring's annotation
    public Page locks(
            @org.springframework.lang.Nullable @Nullable String prefix,
            @org.springframework.lang.Nullable @Nullable String after,
            @org.springframework.lang.Nullable @Nullable Integer limit) {
        int size = limit == null ? DEFAULT_LIMIT : Math.min(Math.max(limit, 1), MAX_LIMIT);
        Optional<LockName> last =
                Optional.ofNullable(after).filter(text -> !text.isEmpty()).map(LockName::new);
        List<LockInfo> found;
        try (Stream<LockInfo> all = admin.locks(prefix == null ? "" : prefix)) {
            found = all.filter(lock -> last.isEmpty() || lock.name().compareTo(last.get()) > 0)
                    .limit(size + 1L)
                    .toList();
        }
        List<Entry> page = found.stream().limit(size).map(Entry::of).toList();
        return new Page(
                admin.provider(),
                page,
                found.size() > size ? page.get(page.size() - 1).name() : null);
    }

    /**
     * Releases a lock by force, as {@link LockAdmin#forceRelease} does: end the holder first.
     *
     * @param name the lock
     * @param fencingToken of the grant to end, as it was listed; other grants are left alone
     * @return with {@code released} false if there is another grant, or none
     */
    @DeleteOperation
    public ForcedRelease forceRelease(String name, long fencingToken) {
        Optional<LockInfo> found;
        try (Stream<LockInfo> all = admin.locks(name)) {
            found = all.filter(lock -> lock.name().value().equals(name)).findFirst();
        }
        boolean released = found.flatMap(lock -> lock.holders().stream()
                        .filter(holder -> holder.fencingToken() == fencingToken)
                        .findFirst()
                        .filter(holder -> admin.forceRelease(lock.name(), holder)))
                .isPresent();
        return new ForcedRelease(name, released);
    }

    /**
     * A page of locks.
     *
     * @param provider the name of the provider whose store keeps them
     * @param locks in the order of their names
     * @param next the value of {@code after} for the next page; null if there is none
     */
    public record Page(
            String provider, List<Entry> locks, @Nullable String next) {}

    /**
     * One lock.
     *
     * @param name the lock
     * @param holders in the order of their tokens; more than one only of a shared or counted lock
     * @param minimumHoldUntil the end of the last minimum hold that keeps the lock busy, or permits of it, without a holder; else null
     * @param waiters in the order of the queue
     */
    public record Entry(
            String name, List<Holder> holders, @Nullable Instant minimumHoldUntil, List<Waiter> waiters) {

        static Entry of(LockInfo lock) {
            return new Entry(
                    lock.name().value(),
                    lock.holders().stream().map(Holder::of).toList(),
                    lock.minimumHoldUntil().orElse(null),
                    lock.waiters().stream().map(Waiter::of).toList());
        }
    }

    /**
     * A holder of a lock.
     *
     * @param application the {@code holdfast.application} of the holder; null if it has none
     * @param instance the process of the holder: {@code 4711@host-3}, with its id and its host
     * @param fencingToken of the first holder of the grant
     * @param since the instant of the grant, by the store's clock
     * @param until the end of the lease unless renewed, by the store's clock
     * @param permits the number of permits it holds: 1 for an exclusive or shared lock
     * @param limit the maximum number of permits held at a time: 1 for an exclusive lock, null for a shared one
     */
    public record Holder(
            @Nullable String application,
            String instance,
            String fencingToken,
            Instant since,
            Instant until,
            int permits,
            @Nullable Integer limit) {

        static Holder of(LockInfo.Holder holder) {
            return new Holder(
                    applicationOf(holder.owner()),
                    instanceOf(holder.owner()),
                    Long.toString(holder.fencingToken()),
                    holder.since(),
                    holder.until(),
                    holder.share().permits(),
                    limitOf(holder.share()));
        }
    }

    /**
     * A waiter for a lock.
     *
     * @param application as of a {@link Holder}
     * @param instance as of a {@link Holder}
     * @param permits for how many it waits
     * @param limit as of a {@link Holder}
     */
    public record Waiter(
            @Nullable String application,
            String instance,
            int permits,
            @Nullable Integer limit) {

        static Waiter of(LockInfo.Waiter waiter) {
            return new Waiter(
                    applicationOf(waiter.owner()),
                    instanceOf(waiter.owner()),
                    waiter.share().permits(),
                    limitOf(waiter.share()));
        }
    }

    private static @Nullable String applicationOf(String owner) {
        int end = owner.indexOf('/');
        return end < 0 ? null : owner.substring(0, end);
    }

    private static String instanceOf(String owner) {
        return owner.substring(owner.indexOf('/') + 1);
    }

    private static @Nullable Integer limitOf(Share share) {
        return share.limit() == Share.UNLIMITED ? null : share.limit();
    }

    /**
     * The outcome of a forced release.
     *
     * @param name the lock
     * @param released whether that grant lasted until now, and is now over
     */
    public record ForcedRelease(String name, boolean released) {}
}
