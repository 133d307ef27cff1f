package dev.holdfast.lock.tck;

import java.util.Map;

/**
 * The rules of the contract of a store, each with advice for a store that breaks it. The first number is the promise: P1 one
 * holder at a time, P2 increasing tokens, P3 losses reported in time, P4 harmless repetition, P5 no grant to a caller that gave
 * up, P6 outages reported as outages, P7 first come, first served, P8 waiters notified, P9 bounded resources, P10 no revival by
 * renewal. The rules I are about listings of locks, the rules S about shared and counted locks, and the rules M about random histories,
 * which a model of a lock must explain.
 */
public enum Rule {
    P1_1(
            "a held lock is refused to every other id",
            "the check for a holder and the grant must be one atomic operation: a condition in the UPDATE, a row"
                    + " lock, a script"),
    P1_2(
            "names are compared exactly, code point by code point",
            "a collation that folds case or accents, a CHAR column that ignores trailing spaces, normalization, a"
                    + " column or key shorter than 255 code points, UTF-8 limited to three bytes, LIKE or glob"
                    + " instead of equality"),
    P1_3(
            "every allowed name works like any other",
            "names put into SQL, keys, patterns or channels as text instead of as a parameter or escaped"),
    P1_4(
            "equal names in different namespaces are different locks",
            "the namespace must be part of the key in every statement; joined texts need a separator that neither"
                    + " part can contain"),
    P1_5(
            "every store opened with the same configuration sees the same locks",
            "state kept in the store object, such as a cache of held locks; a separate file or database for each"
                    + " store"),
    P1_6(
            "of concurrent acquires exactly one is granted, and the others are busy",
            "read-then-write without a lock; the race of first inserts for a new name; errors for a duplicate key"
                    + " or a serialization failure that the store should retry"),
    P1_7(
            "a grant lasts at least as long as the store replied",
            "expiry by another clock than the store's, seconds or milliseconds rounded down, 'now' read before a"
                    + " wait for a row lock"),
    P1_8(
            "a lease that is not renewed ends by itself",
            "the expiry must be part of the condition under which the lock is free; a dead holder never releases"),
    P1_9(
            "'remaining' is the time left of the lease, for a repeated acquire as well",
            "reply with the time from now to the stored end, never with the length that the repeated acquire asks"
                    + " for"),
    P1_10(
            "only ids are compared, and an owner text of any content and length is accepted",
            "the owner is text for people, and several holders share one: keep its beginning, compare nothing with"
                    + " it, refuse nothing"),
    P1_11(
            "a minimum hold keeps a released lock busy until it ends, counted from the grant",
            "a release with 'minimumHold' must turn the rest of the minimum into an expiry instead of freeing the"
                    + " lock"),
    P1_12(
            "a minimum hold ends by itself, and keeps nothing if it ended before the release",
            "it counts from the grant, not from the release; no client comes back to end it"),
    P1_13(
            "a release with a minimum hold ends its id",
            "the kept lock must not be found by its former id: neither renewed, nor granted again, nor freed by a"
                    + " second release"),
    P1_14(
            "the holds of threads that use Locks never overlap",
            "see P1.1, P1.5 and P1.6; if they pass and this fails, look at how the store behaves under load"),
    P1_15(
            "the holds of processes never overlap",
            "state kept inside the process; if processes do not share the store, override sharedBetweenProcesses()"),
    P1_16(
            "the lock of a killed process stays busy until its lease ends, and then is free",
            "locks tied to a connection or a process end too early; locks without an expiry never end"),
    P1_17(
            "a grant survives a restart of the store",
            "a grant must be durable before the store replies; tables or keys that are kept in memory only"),
    P1_18(
            "a store that is closed keeps its leases and is unavailable",
            "a close() that frees leases, or that closes what other stores of the process use as well"),
    P1_19(
            "a refused caller is told to retry when the lease ends, or sooner",
            "'retryAfter' of Busy must not be longer than the time left of the lease or the minimum hold"),
    P1_20(
            "durations of fifty years work like any other",
            "a column, a number or a date that overflows: a lease ends at now plus DurationLimits.MAX at the"
                    + " latest"),
    P1_21(
            "a lease is measured by the store's clock, whatever a client's clock shows",
            "an end that the client computes or compares, as with Instant.now(), is as wrong as its clock: read"
                    + " the time where the lease is kept, in the same command"),

    P2_1(
            "tokens increase from grant to grant, across releases",
            "the last token must outlive the release; a clock alone may give two grants the same number"),
    P2_2("tokens increase across the expiry of a lease", "an expiry that deletes the counter together with the holder"),
    P2_3(
            "tokens increase when the store is closed and opened again",
            "a counter kept in the process, or reset when the store is opened"),
    P2_4("tokens increase across a restart of the store", "a counter that is not durable when the store replies"),
    P2_5(
            "tokens increase when idle names are pruned in between",
            "pruning a name must first raise a floor for the whole store to that name's last token, in the same"
                    + " transaction"),
    P2_6(
            "tokens increase while the clock is behind the last token",
            "a token taken from the clock alone; take the greatest of last + 1, floor and clock"),
    P2_7("tokens increase when the store's clock steps back", "see P2.6: a token taken from the clock alone"),
    P2_8(
            "a token is greater than the last token and than 'tokenFloor'",
            "both floors count: the greater of the two; 'tokenFloor' may be far ahead of the clock"),
    P2_9("the token stays the same until the lease ends", "a repeated acquire or a renewal that draws a new number"),
    P2_10(
            "no token is greater than 2^53 - 1",
            "a floor of 2^53 - 1 or more leaves no number, even where adding one overflows: reply Unavailable and"
                    + " change nothing"),
    P2_11(
            "the fencing tokens of leases increase across stores",
            "see P2.1; the store's token is the greater part of a fencing token"),

    P3_1(
            "a lease is lost for its holder when another holder is granted the lock",
            "a 'remaining' that claims more than the store keeps; a renewal that is granted though the lock has"
                    + " another holder"),
    P3_2(
            "a lease that was ended at the store is lost for its holder, and reported once",
            "a renewal of an id that holds nothing must be Gone: Granted would hide the loss for ever"),
    P3_3(
            "while the store is unreachable a lease is unconfirmed and then lost, reported once and in time",
            "a store that replies from memory when it cannot ask, or a call that hangs longer than its timeout"),

    P4_1(
            "a repeated acquire gets the same grant",
            "a repeated acquire must find its own id, and not be busy because of itself"),
    P4_2(
            "a release ends only the lease of its own id",
            "DELETE or DEL by name alone: compare the id in the same atomic operation"),
    P4_3(
            "'wasHeld' is true if and only if this release ended the lease",
            "reply from the number of rows or keys that this very command changed"),
    P4_4(
            "an id that was released with a tombstone is never granted later",
            "the tombstone must be written even if nothing was held: the acquire may still be on its way"),
    P4_5(
            "each id that was released with a tombstone has its own, which keeps no other id out",
            "one column for the last released id is not enough; a tombstone must not make the lock busy; one time for"
                    + " all releases of a batch"),
    P4_6(
            "an expired id never gets its old grant back",
            "a repeated acquire is Gone, or (if the id was forgotten) gets a new, greater token"),
    P4_7(
            "commands of one id that cross its release leave nothing behind",
            "a tombstone, a place or a lease that is read first and acted upon later: hold the row lock, or repeat the condition"
                    + " in the statement that writes"),
    P4_8(
            "the replies to a batch are in the order of its commands",
            "replies sorted or grouped by name, kind or shard and not put back; the length of one command for the"
                    + " whole batch"),
    P4_9(
            "the commands of a batch on one name are executed in their order",
            "a batch that is reordered to avoid deadlocks must keep the order within a name"),
    P4_10(
            "a command that is refused or fails does not affect the other commands of its batch",
            "one transaction that rolls back as a whole, or a pipeline that stops at the first error"),
    P4_11(
            "a batch of a thousand commands is executed",
            "limits on parameters or message size: split the batch inside the store"),
    P4_12(
            "ids are compared in full, all 128 bits",
            "one half of the id in a column or key, or both as one number of 64 bits, or as digits without leading"
                    + " zeros"),
    P4_13(
            "a tombstone lasts as long as the release asked, whatever happens later",
            "a fixed time for all ids; a later release that ends or shortens the tombstone; keep the later of the"
                    + " two ends"),

    P5_1(
            "an acquire that arrives after its caller gave up is not granted",
            "see P4.4; here another id holds the lock when the release arrives, and the lock is free when the late"
                    + " acquire arrives"),
    P5_2("a caller that timed out never owns the lock", "see P5.1: the release withdraws the attempt"),
    P5_3(
            "a caller that was interrupted never owns the lock",
            "see P5.1; a store must also survive an interrupted thread"),
    P5_4(
            "a waiter that withdrew is never granted the lock, even if it was reserved for it",
            "the tombstone must be written, whatever place the id had; look at the tombstones before the queue"),
    P5_5(
            "an interrupted thread stays interrupted, and the store goes on",
            "Thread.interrupted() or a caught InterruptedException without Thread.currentThread().interrupt(); a"
                    + " channel or connection that an interrupt closes and that is not reopened"),

    P6_1(
            "an unreachable store is unavailable, and never busy, gone, released or granted",
            "a catch block that turns an error into a reply; reply Unavailable with the cause, or throw"),
    P6_2(
            "a store that does not respond is unavailable when the timeout ends",
            "socket, statement and pool timeouts must follow the call's timeout"),
    P6_3(
            "a store that is reachable again works without help, and its leases stand",
            "broken connections kept in a pool; state lost or reset on reconnection"),
    P6_4(
            "Locks throw LockUnavailableException while the store is unreachable",
            "see P6.1: an outage must not look like a busy lock"),
    P6_5(
            "opening an unreachable store throws LockUnavailableException",
            "open() must reach the store once, and fail within about the call timeout if it cannot"),
    P6_6(
            "a call that gets no response delays no other call",
            "a pool of connections smaller than parallelCalls() plus the engine's other calls, or a wait for it without a time"
                    + " limit: the timeout is for the whole call"),
    P6_7(
            "opening a store that does not respond throws LockUnavailableException",
            "the first connection and the first query need a time limit as well"),

    P7_1(
            "waiters are granted the lock in their order of arrival",
            "a queue sorted by id, by a client's clock or by too coarse a clock, instead of by arrival at the"
                    + " store; a grant to the waiter that asks next, instead of the first"),
    P7_2(
            "a free lock that has waiters is refused to a newcomer, whether it queues or not",
            "the statement that takes a free lock must look at the queue first, even for an acquire that does not"
                    + " queue"),
    P7_3(
            "a repeated acquire keeps its place in the queue",
            "an upsert that overwrites the time of arrival; delete and insert"),
    P7_4(
            "stores opened separately share one queue",
            "a queue kept in the store object; a place known only to the connection that asked for it"),
    P7_5(
            "a waiter that withdrew has no place, and delays no other waiter",
            "a release must delete the place in the queue even if the id holds nothing; after a release with a"
                    + " tombstone the id is Gone, and does not queue"),
    P7_6(
            "a free lock is reserved for the first waiter for the claim window",
            "a claim window shorter than QueueTimes.CLAIM_WINDOW, or open to every waiter; a refused acquire must"
                    + " not end it"),
    P7_7(
            "a first waiter that does not ask is passed over when its claim window ends, not before",
            "the next acquire of another id must drop it once the lock has been free for QueueTimes.CLAIM_WINDOW;"
                    + " waiting for its place to expire takes much longer"),
    P7_8(
            "an expired lease makes the lock free for the first waiter, not for a newcomer",
            "the statement that takes an expired lock must look at the queue, as the one that takes a released lock"
                    + " does"),
    P7_9("each name has its own queue", "the name must be part of every condition on the queue"),
    P7_10(
            "the acquires of a batch queue in their order",
            "one time of arrival for a whole batch; a batch sorted by id; a bulk insert in undefined order; a queue"
                    + " that has room for some waiters only"),
    P7_11(
            "a waiter is told to retry within 5 s, and each of the three after the first within a claim window",
            "'retryAfter' of Queued is at most QueueTimes.retryAfter; a waiter that asks too rarely loses its"
                    + " place, or waits for a dead one before it; without notifications the first waiter asks well"
                    + " within its claim window, as nothing else tells it of a release"),
    P7_12(
            "a killed process that is the first waiter is passed over when its claim window ends",
            "see P7.7; no place at all for a waiter of another process"),
    P7_13(
            "callers that wait through Locks are granted the lock in their order of arrival",
            "see P7.1, P7.3, P7.4 and P7.6; if they pass and this fails, look at how the store behaves under load"),
    P7_14("tryAcquire() does not overtake a waiter", "see P7.2: the free lock is reserved for the first waiter"),
    P7_15(
            "each waiter that becomes the first gets its own claim window, from when the lock is free",
            "one claim window for all, counted from the release: it must start again when the first waiter is passed"
                    + " over or leaves, and not before a minimum hold ends; the first request for a share keeps it"),
    P7_16(
            "a place in the queue lasts 15 s from its waiter's last acquire, and is then dropped without a claim"
                    + " window",
            "an acquire of a waiter must record when it came; a waiter that has not asked for QueueTimes.WAITER_TTL"
                    + " is not the first, whatever the next command is, and queues anew when it asks again"),
    P7_17(
            "the turn of a waiter does not depend on whether it asks while it has to wait",
            "what a waiter's next acquire puts right is missing if none comes: a grant, a renewal and a release with a"
                    + " minimum hold must leave when the lock is free for the next waiter; only the acquire of another id"
                    + " passes the first waiter over"),

    P8_1(
            "a release notifies the first waiter",
            "notifications that reach only the store object that was asked; a transaction that notifies but is not"
                    + " committed; a channel per name without a listener"),
    P8_2(
            "a waiter that becomes the first by a withdrawal or a missed claim window is notified",
            "every command that makes another waiter the first must notify it, not only the release of a lease: of"
                    + " a free lock, so that it claims it, of a held one, so that it learns when to retry"),
    P8_3(
            "a subscription begins with ANY, and misses no release after it",
            "ANY must come when the subscription is in effect, not when it was requested"),
    P8_4(
            "a gap in the notifications ends with ANY, and they go on",
            "a subscription connection that broke and was not reopened; waiters learn of the gap by ANY"),
    P8_5(
            "a closed subscription receives nothing, and a new one can be made",
            "closing must remove the listener; it must not end the subscription of others, or the store's only"
                    + " connection"),
    P8_6(
            "a waiter does not poll while the lock is held",
            "a store with notifications replies QueueTimes.retryAfter in Queued, not a polling interval; a"
                    + " notification is for the first waiter, not for all"),
    P8_7(
            "a notification reaches the waiter within its claim window",
            "see P8.1: the notification must be sent when the command is executed, well before the claim window"
                    + " ends"),
    P8_8(
            "a waiter whose notification is lost gets the lock all the same",
            "see P7.11: 'retryAfter' of Queued must not rely on a notification"),
    P8_9(
            "a release with a minimum hold notifies the first waiter",
            "the lock is not free yet, but will be sooner than the waiter was told: the waiter must ask again"),
    P8_10(
            "a subscription made while the store is unreachable begins when the store is back",
            "subscribe() neither waits for the store nor throws because it is unreachable; ANY comes when it is in"
                    + " effect"),
    P8_11(
            "a waiter is notified even if waiters before it have died",
            "the waiter to notify is the first one that has asked within QueueTimes.WAITER_TTL, not the first place"
                    + " that is stored: after a release, a withdrawal and a missed claim window"),

    P9_1(
            "hundreds of commands, granted and refused, exhaust no resource",
            "connections, statements or cursors that are not given back, most often when a command is refused"),
    P9_2("nothing is kept about names that are not in use", "rows or keys without an expiry that are never pruned"),
    P9_3(
            "dead waiters leave nothing behind",
            "places in a queue without an expiry, of names that are no longer requested"),
    P9_4(
            "pruning drops nothing that is in use",
            "leases, minimum holds, tombstones, waiters and claim windows must not be dropped with idle names"),
    P9_5(
            "a closed store leaves no thread behind",
            "close() must end the threads of pools, timers and subscriptions, even if it fails halfway"),

    P10_1("a renewal extends the lease from now on", "the new end must be written, and counts from the renewal"),
    P10_2(
            "a renewal never revives an expired lease",
            "the condition of the update must include the expiry: 'the id matches and the lease has not expired'"),
    P10_3("a renewal after the release changes nothing", "an upsert in place of an update: a renewal never inserts"),
    P10_4("a renewal extends only the lease of its own id", "the id must be part of the condition"),
    P10_5(
            "a held Lease is renewed until its release, and not after it",
            "see P10.1 and P10.3; a renewal that arrives after the release must be Gone"),
    P10_6(
            "a renewal never shortens a lease",
            "keep the later of the two ends: the reply to the renewal may be lost, and then the holder counts on"
                    + " the later end"),
    P10_7(
            "a fixed Lease is extended to each length that is requested",
            "take the length from the renewal, not from the grant or from an earlier renewal, and do not limit it"),

    I1(
            "a held lock is listed with its holder, its token, its grant and its end",
            "show the content of the row: the id and owner of the grant, its time, and the end that the last renewal"
                    + " set"),
    I2(
            "waiters are listed by their owner texts, in order of arrival",
            "read them in an explicit order; a repeated acquire keeps the place"),
    I3(
            "released and expired locks are not listed",
            "compare with the store's clock: an expired lease has ended though its row is still there; tombstones are"
                    + " not listed"),
    I4(
            "a listing has the locks of the namespace whose names begin with the prefix, in order of code points",
            "LIKE or glob with a prefix that is not escaped; a collation; names ordered by UTF-16 units, which"
                    + " differs beyond U+FFFF"),
    I5(
            "a listing blocks no command, even while it is read slowly",
            "row locks in the query, a read transaction that writers wait for, the one connection that commands"
                    + " need as well; pages by number, which shift when a lock before them is released"),
    I6("a release by the listed id ends that lease, and no other", "show the id of the grant itself"),
    I7(
            "a lock that is kept by a minimum hold is listed with its end, and without a holder",
            "a release with 'minimumHold' ends the lease: show no holder, and the end of the minimum"),
    I8(
            "a listing of an unreachable store fails, and is neither empty nor cut short",
            "a catch block that turns an error into an empty listing; throw LockUnavailableException, even while"
                    + " the stream is read"),
    I9(
            "a diagnosis changes nothing",
            "a check that acquires, releases or prunes what it finds; read the settings only"),

    S1(
            "leases last at the same time if their shares are compatible, and only then",
            "count the permits that are out and compare with the least limit, in the same atomic operation as the grant; a reader"
                    + " excludes writers, and a writer readers; any number of readers fits"),
    S2(
            "of shares with different limits the least counts",
            "the limit of the request alone, or a limit that is kept once for the lock: keep that of each share"),
    S3(
            "a share of several permits is granted at once or not at all",
            "permits that are taken one by one, so that two requests stop each other half-way; a count of holders instead of"
                    + " permits; permits in 16 bits, or a sum in 32"),
    S4("a renewal extends its own share, and no other", "one end, or one expiry, for all shares of a lock"),
    S5(
            "a share ends with its own lease, whatever others renew",
            "an end that is the latest of all shares: a dead reader must not outlive its lease beside living ones"),
    S6(
            "a repeated request is counted once, and a share is freed once",
            "a counter that each attempt raises or lowers: count the shares by their ids"),
    S7(
            "no newcomer passes a waiter that it is not compatible with",
            "the queue must be asked even if there is room among the holders: a waiting writer stops new readers"),
    S8(
            "waiters that are compatible enter together when they are due, past a dead one",
            "only the first waiter is looked at: all are due that fit together with those before them, each with its own claim"
                    + " window and its own notification"),
    S9(
            "a request for many permits is neither passed nor left asleep",
            "a waiter that needs more than was just released must be notified once enough is free, and no smaller request behind"
                    + " it may use up what becomes free"),
    S10("tokens increase over shares of all kinds", "a counter for each kind of share"),
    S11(
            "a minimum hold keeps its share, and no more",
            "the released share must be counted until its minimum hold ends, beside those of holders; its id stays"
                    + " Gone when no other share is left"),
    S12(
            "nothing is kept about a lock when its last share has ended",
            "holders, limits or counters beside the lock that no release and no pruning drops; an end that stays"
                    + " though the share was released before it"),
    S13(
            "a listing shows all holders and waiters with their shares",
            "a listing that reads one holder, or the times of one for all; shares of waiters that are not stored"),
    S14(
            "the holds of threads that use shared locks and semaphores fit together",
            "see S1, S2 and S7; if they pass and this fails, look at how the store behaves under load"),

    M1(
            "some order of the commands explains the replies of any history",
            "the history in the failure: it ends with the reply that the contract does not allow. A history is random, of"
                    + " several stores and threads, with names that look alike, repeated and late commands, batches,"
                    + " and commands around the end of each lease, minimum hold and tombstone"),
    M2(
            "some order of the commands explains the replies while waiters die and miss their claim windows",
            "the history in the failure. M1 does not see the end of a claim window or of a waiter's place, and"
                    + " tombstones that last for many seconds"),
    M3(
            "some order of the commands explains the replies before and after a restart",
            "the history in the failure. M1 does not see renewals, minimum holds, tombstones, waiters or tokens"
                    + " that are kept in memory, or written after the reply"),
    M4(
            "some order of the commands explains the replies while a connection breaks",
            "the history in the failure. M1 does not see a command that is half executed when its connection"
                    + " breaks, or executed twice");

    private static final Map<String, String> PROMISES = Map.ofEntries(
            Map.entry("P1", "one holder at a time"),
            Map.entry("P2", "increasing tokens"),
            Map.entry("P3", "losses reported in time"),
            Map.entry("P4", "harmless repetition"),
            Map.entry("P5", "no grant to a caller that gave up"),
            Map.entry("P6", "outages reported as outages"),
            Map.entry("P7", "first come, first served"),
            Map.entry("P8", "waiters notified"),
            Map.entry("P9", "bounded resources"),
            Map.entry("P10", "no revival by renewal"),
            Map.entry("I", "exact listings"),
            Map.entry("S", "compatible shares"),
            Map.entry("M", "one model"));

    private final String demand;
    private final String advice;

    Rule(String demand, String advice) {
        this.demand = demand;
        this.advice = advice;
    }

    /** Such as {@code P1.1} or {@code I1}. */
    public String id() {
        return name().replace('_', '.');
    }

    /** The demand of the rule, in a sentence. */
    public String demand() {
        return demand;
    }

    /** What to look for in the store if the rule is broken. */
    public String advice() {
        return advice;
    }

    /** The title of the rule's promise, such as {@code P1 one holder at a time}. */
    String promise() {
        String id = id().split("\\.", 2)[0].replaceFirst("^([ISM]).*", "$1");
        return id + " " + PROMISES.get(id);
    }

    /** The message of a test that found the rule broken. */
    String broken(String observation) {
        return id() + " broken: " + observation + "\n  the rule: " + demand + "\n  look for: " + advice;
    }
}
