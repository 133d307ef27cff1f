package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.engine.GatheredLines.Gathered;
import dev.holdfast.lock.internal.state.CauseLine;
import dev.holdfast.lock.internal.state.StoreLease;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log says to operators of leases that are in danger or lost, and of a store that goes away and comes back. A lease has one
 * line for each state at most; of many leases only the first few have, and the others share {@linkplain GatheredLines summaries}.
 * Tokens are fencing tokens. Thread-safe; never blocks, as the lines are written on other threads.
 */
public final class LeaseLog {

    /** The log that operators see. */
    public static final Logger LOGGER = LoggerFactory.getLogger("dev.holdfast.lock.leases");

    private static final Duration TENTHS_MATTER = Duration.ofSeconds(10);
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private final Logger log;
    private final String owner;
    private final String store;
    private final Timers timers;
    private final Executor threads;

    private final GatheredLines unconfirmed;
    private final GatheredLines confirmed;
    private final GatheredLines lost;
    private final GatheredLines lostGroups;
    private final GatheredLines lostLeaderships;
    private final GatheredLines stubborn;
    private final GatheredLines campaigns;
    private final GatheredLines expiring;

    /**
     * The log of one engine.
     *
     * @param owner what the store shows as the holder
     * @param store the store, for people
     * @param threads run what writes to the log; never fail
     */
    LeaseLog(Logger log, String owner, String store, Timers timers, Executor threads) {
        this.log = log;
        this.owner = owner;
        this.store = store;
        this.timers = timers;
        this.threads = threads;
        this.unconfirmed = gathered(more -> log.warn(
                "{} more leases are unconfirmed, of {}: {} did not answer their renewals ({})",
                more.count(),
                more.shownNames(),
                store,
                more.why()));
        this.confirmed = gathered(more ->
                log.info("{} more leases are confirmed again, of {}, by {}", more.count(), more.shownNames(), store));
        this.lost = gathered(more -> log.warn(
                "{} more leases are lost, of {}, in {}: {}. Their work must stop: other processes may hold the locks by now",
                more.count(),
                more.shownNames(),
                store,
                more.why()));
        this.lostGroups = gathered(more -> log.warn(
                "{} more groups of leases are lost, of {}: each lost a lease, and has released the others",
                more.count(),
                more.shownNames()));
        this.lostLeaderships = gathered(more -> log.warn(
                "{} more leaderships are over, of {}, as their leases are lost", more.count(), more.shownNames()));
        this.stubborn = gathered(more -> log.warn(
                "{} more leader candidates have not stopped, of {}, though their leases are lost",
                more.count(),
                more.shownNames()));
        this.campaigns = gathered(more -> log.warn(
                "{} more campaigns go on, of {}, though the store does not answer: {}",
                more.count(),
                more.shownNames(),
                more.why()));
        this.expiring = gathered(more -> log.warn(
                "{} more are left to expire, of {}, as {} did not answer their releases: {}",
                more.count(),
                more.shownNames(),
                store,
                more.why()));
    }

    private GatheredLines gathered(Consumer<Gathered> summary) {
        return new GatheredLines(timers, threads, summary);
    }

    // --- Leases.

    /** A renewal was not answered. */
    void unconfirmed(LockName name, long token, Duration left, Throwable cause) {
        String why = CauseLine.of(cause);
        unconfirmed.add(
                shown(name),
                why,
                () -> log.warn(
                        "the lease of {} with token {}, held by {}, is unconfirmed: {} did not answer its renewal ({})."
                                + " It is lost in {} unless the store answers by then: see the server, and the network to it",
                        shown(name),
                        token,
                        owner,
                        store,
                        why,
                        shown(left)));
    }

    /** A renewal was answered, after some that were not. */
    void confirmed(LockName name, long token) {
        confirmed.add(
                shown(name),
                "",
                () -> log.info("the lease of {} with token {} is confirmed again by {}", shown(name), token, store));
    }

    /** A lease was lost. */
    void lost(LockName name, long token, Duration held, String why) {
        lost.add(
                shown(name),
                why,
                () -> log.warn(
                        "the lease of {} with token {} is lost, which {} held for {} in {}: {}. Its work must stop: another"
                                + " process may hold the lock by now",
                        shown(name),
                        token,
                        owner,
                        shown(held),
                        store,
                        why));
    }

    /** A release was given up. */
    void leftToExpire(LockName name, Throwable cause) {
        String why = CauseLine.of(cause);
        expiring.add(
                shown(name),
                why,
                () -> log.warn(
                        "{} is left to expire: its release was not answered by {}: {}", shown(name), store, why));
    }

    /** The locks are closed while these leases are held. Written at once, on this thread. */
    void closing(List<StoreLease> held) {
        if (!held.isEmpty()) {
            log.warn(
                    "these locks are closed while {} leases are held, {}: they are released in {} now. Work under them is no"
                            + " longer protected: end it, and release its leases, before closing the locks",
                    held.size(),
                    held.stream()
                                    .limit(GatheredLines.NAMES)
                                    .map(each -> shown(each.name()) + " with token " + each.fencingToken())
                                    .collect(Collectors.joining(", "))
                            + (held.size() > GatheredLines.NAMES ? " and others" : ""),
                    store);
        }
    }

    // --- Groups and elections.

    /** A group of leases lost one of them, and released the others. */
    public void groupLost(List<String> names, String lostOne) {
        String all =
                names.stream().limit(GatheredLines.NAMES).map(LeaseLog::quoted).collect(Collectors.joining(", "))
                        + (names.size() > GatheredLines.NAMES ? " and others" : "");
        lostGroups.add(
                quoted(lostOne),
                "",
                () -> log.warn(
                        "the group of the leases of {} is lost with the one of {}, and has released the others: the work of the"
                                + " group must stop",
                        all,
                        quoted(lostOne)));
    }

    /** A leader lost its lease. */
    public void leadershipLost(String name, long token) {
        lostLeaderships.add(
                quoted(name),
                "",
                () -> log.warn(
                        "the leadership of {} with token {} is over, as its lease is lost: its candidate is told to stop, and"
                                + " campaigns again",
                        quoted(name),
                        token));
    }

    /** A candidate goes on after its lease was lost. */
    public void candidateNotStopped(String name, Duration since) {
        stubborn.add(
                quoted(name),
                "",
                () -> log.warn(
                        "the leader candidate of {} has not stopped {} after its lease was lost, and may act beside another"
                                + " leader: it has to end when it is interrupted or revoked",
                        quoted(name),
                        shown(since)));
    }

    /** A candidate was not granted the lock, as the store does not answer. */
    public void campaignUnanswered(String name, Throwable cause) {
        String why = CauseLine.of(cause);
        campaigns.add(
                quoted(name),
                why,
                () -> log.warn("the campaign for {} goes on, though the store does not answer: {}", quoted(name), why));
    }

    // --- The store.

    /** The store has answered nothing for so long. */
    void storeAway(Duration lasted, Throwable cause) {
        String why = CauseLine.of(cause);
        threads.execute(() -> log.warn(
                "{} has not answered for {}: {}. Leases that it does not confirm in time are lost: see the server, and the"
                        + " network to it",
                store,
                shown(lasted),
                why));
    }

    /** The store answers again, so long after the first command that it did not answer. */
    void storeBack(Duration lasted) {
        threads.execute(
                () -> log.info("{} answers again, after an outage of {} for this process", store, shown(lasted)));
    }

    /** The notifications of the store cannot be received. */
    void notificationsAway(Throwable cause) {
        String why = CauseLine.of(cause);
        threads.execute(() -> log.warn(
                "cannot subscribe to the notifications of {}, retrying every ten seconds; until then waiters poll,"
                        + " and wait longer: {}",
                store,
                why));
    }

    /** They can be received again. */
    void notificationsBack() {
        threads.execute(() -> log.info("subscribed to the notifications of {} again", store));
    }

    /** Writes what is still gathered, on this thread: the timers end. */
    void flush() {
        List.of(unconfirmed, confirmed, lost, lostGroups, lostLeaderships, stubborn, campaigns, expiring)
                .forEach(GatheredLines::flush);
    }

    // --- Text.

    private static String shown(LockName name) {
        return quoted(name.value());
    }

    /** A name is any text: it must not look like another line of the log. */
    private static String quoted(String name) {
        return "'" + CONTROL.matcher(name).replaceAll("?") + "'";
    }

    private static String shown(Duration duration) {
        return DurationText.format(
                duration.compareTo(TENTHS_MATTER) < 0
                        ? Duration.ofMillis(duration.toMillis())
                        : Duration.ofSeconds(duration.toSeconds()));
    }
}
