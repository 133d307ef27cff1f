------------------------------- MODULE Failover -------------------------------
(***************************************************************************)
(* Which store grants a lock: a primary that is fast and may lose data, or *)
(* an authority that is slower and does not. PROTOCOL.md explains it; this *)
(* is the same, for one lock, so that a model checker can look at every    *)
(* order of events.                                                        *)
(*                                                                         *)
(* A member stands for one process and one acquisition: it acquires once,  *)
(* a share of its own: k permits, while at most N are out. Two             *)
(* acquisitions of one process are two members that happen to know the     *)
(* same.                                                                   *)
(*                                                                         *)
(* What keeps the model small, and loses nothing:                          *)
(*  - Time is what is left of leases. A Tick shortens them all; there is   *)
(*    no clock to run out, so an exhausted state space covers every length *)
(*    of time.                                                             *)
(*  - A request is not kept between sending and execution: it may be       *)
(*    carried out at any time from which on a member may have sent it, or  *)
(*    never. So every delay is in the model. (The exceptions are           *)
(*    `assertion' and `copies': there it matters what was known when the   *)
(*    request was sent.)                                                   *)
(*  - A reply is kept until it is received, which may be never.            *)
(*  - A read of the state is sent at the instant at which the authority    *)
(*    carries it out: sending it earlier makes for a shorter lease, and a  *)
(*    member with a shorter one can do nothing that it could not do with a *)
(*    longer one.                                                          *)
(*  - DrainPrimary, BeginFailback, AbortFailback and the failures need no  *)
(*    reason, and ActivateFallback no observer: the first member that      *)
(*    could propose it saw DRAINING when it began.                         *)
(*  - Deadlines of the lock itself are ordinals: 0 as granted, more as     *)
(*    renewed, for one length or a longer one. A holder may find itself    *)
(*    beyond its own at any time; the store, not before the holder.        *)
(*  - Several renewals of a lease may be on their way at a time, and their *)
(*    replies are received in any order.                                   *)
(*  - A member that is done with the lock needs to know nothing any more.  *)
(*  - A minimum hold begins when a store has carried out the release. It   *)
(*    is asserted at one instant, any time while grants drain. If its      *)
(*    process is not healthy then, the hold is `stale' from then on: it    *)
(*    may still be asserted, but nothing is promised any more.             *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Writers,    \* the members that want 1 permit of 1: the exclusive lock
    Readers,    \* ... 1 of any number
    Doubles,    \* ... 2 of 3
    Lease,      \* the authority lease: for how long a reply that tells the state may be acted upon, in ticks
    Wait,       \* for how long DRAINING lasts at least
    LastEpoch,  \* where the model ends
    Span,       \* how many tokens the primary may grant in one epoch
    Longest,    \* how many lengths a renewal may have
    Without     \* which of the Rules is broken; "" for none

Rules == {
    "record",       \* the primary grants only where the record of the epoch is
    "replication",  \* ... and only if its replication id is the epoch's
    "receipt",      \* a grant counts only if, on receipt, its epoch is the one known
    "least",        \* of the limits of shares the least counts
    "own",          \* a release ends the row of its member only
    "each",         \* a row ends by its own deadline
    "absent",       \* an assertion replaces no lease of another member
    "beside",       \* ... and is admitted only if it fits beside all of them
    "share",        \* what is asserted keeps its share
    "others",       \* ... and is not taken for exclusive
    "once",         \* what is copied to the primary is sent once
    "copy",         \* what the authority granted is copied before the primary grants
    "all",          \* ... for all that hold the lock
    "shares",       \* ... with their shares
    "under",        \* what is copied is copied under the record, so that whatever loses a copy loses the record
    "remove",       \* what was copied is removed from the authority when the primary is activated
    "tombstone",    \* a release goes where it finds an assertion that is on its way
    "confirm",      \* only a reply of a store takes a hold to another epoch
    "known",        \* ... and only to the epoch that is known on receipt
    "stale",        \* a renewal of another epoch than the known one moves no deadline
    "order",        \* no reply to a renewal moves back the deadline for which the hold would be asserted
    "drain",        \* no renewal moves a deadline before the authority leases of the drained epoch have lapsed
    "raise",        \* DrainPrimary raises the base by all that the primary may have granted
    "keep",         \* BeginFailback never lowers the base
    "span",         \* the primary refuses when its tokens are used up
    "time",         \* a minimum hold is asserted in every DRAINING until its own deadline, whatever its epoch
    "later",        \* ... and gives way to what was granted later
    "single"}       \* ... and does not count but where it could not be beside a single other

ASSUME /\ Lease \in Nat /\ Wait \in Nat /\ Span \in Nat /\ LastEpoch \in Nat /\ Longest \in Nat
       /\ Without \in Rules \cup {""}

Rule(name) == Without # name

VARIABLES
    state,      \* the authority state: epoch, phase, base
    terms,      \* per epoch, the replication id that was activated, or is to be; 0 for the authority itself
    drained,    \* how long DRAINING has lasted; up to Wait
    authority,  \* the authority's rows of the lock, one for each member, and the last token it granted
    servers,    \* per server of the primary: its replication id (0: a replica), its record, its rows of the lock per epoch
    copies,     \* per epoch, the way of the authority's rows to the primary
    members,    \* per member: what it knows, does, and awaits
    highest     \* the highest token granted so far, by any store

vars == <<state, terms, drained, authority, servers, copies, members, highest>>

Members == Writers \cup Readers \cup Doubles
Epochs  == 1 .. LastEpoch
Servers == {1, 2}
Phases   == {"PRIMARY", "DRAINING", "FALLBACK", "FAILING_BACK"}

Max(a, b)  == IF a > b THEN a ELSE b
Less(time) == IF time = 0 THEN 0 ELSE time - 1

\* The deadlines of a lease that was renewed.
Lengths == 1 .. Longest

\* A row that lasts for a minimum hold.
Kept    == Longest + 1

NoRows  == [e \in Epochs |-> {}]
NoRecord  == [epoch |-> 0, last |-> 0, limit |-> 0]
NoCopy  == [step |-> "none", rows |-> {}, base |-> 0]
NoReply  == [epoch |-> 0, phase |-> "DRAINING", left |-> 0]
NoHold  == [epoch |-> 0, left |-> 0, deadline |-> 0, noted |-> 0, from |-> 0, late |-> FALSE, after |-> {}]
NoAssertion == [step |-> "none", epoch |-> 0, deadline |-> 0]

Newcomer == [
    knows     |-> NoReply,     \* the state it knows, and what is left of its authority lease
    reply     |-> NoReply,     \* the reply of the authority that is on its way to it
    stage     |-> "new",       \* new, asked, held, leaving, left (released), kept (released, and kept for a minimum hold),
                               \* stale (as kept, but its process missed a drain), over (ended otherwise)
    hold      |-> NoHold,      \* what it was granted: under which epoch, what is left of it, after which members;
                               \* the deadline that the holder was told, and the one that its process has noted to assert
    renewed   |-> {},          \* the replies to its renewals that are on their way: the epoch and the deadline of the row
    assertion |-> NoAssertion] \* its assertion

Init ==
    /\ state = [epoch |-> 1, phase |-> "FALLBACK", base |-> 1]
    /\ terms = [e \in Epochs |-> 0]
    /\ drained = 0
    /\ authority = [rows |-> {}, last |-> 0]
    /\ servers = [s \in Servers |-> [replicationId |-> IF s = 1 THEN 1 ELSE 0, record |-> NoRecord, rows |-> NoRows]]
    /\ copies = [e \in Epochs |-> NoCopy]
    /\ members = [m \in Members |-> Newcomer]
    /\ highest = 1      \* granted before there was an authority state: the first base is not below it

(***************************************************************************)
(* Rows: a store has one for each member that it granted its share         *)
(***************************************************************************)

Exclusive == [permits |-> 1, limit |-> 1]
Shared    == [permits |-> 1, limit |-> 9]   \* more than all members may have
ShareOf(m) == IF m \in Writers THEN Exclusive ELSE IF m \in Readers THEN Shared ELSE [permits |-> 2, limit |-> 3]

Row(m, deadline) == [who |-> m, share |-> ShareOf(m), deadline |-> deadline]

Of(m, rows)   == {row \in rows : row.who = m}
But(m, rows)  == {row \in rows : row.who # m}
Has(m, rows)  == Of(m, rows) # {}
Put(row, rows) == But(row.who, rows) \cup {row}
Until(m, deadline, rows) == {IF row.who = m THEN [row EXCEPT !.deadline = deadline] ELSE row : row \in rows}

\* Whether the permits of these rows together are at most this limit.
Within(limit, rows) == Cardinality(UNION {{row.who} \X (1 .. row.share.permits) : row \in rows}) <= limit

\* Whether rows are compatible: their permits are at most the least of their limits. Then so is each of their subsets.
Fit(rows) == \A row \in rows : Within(row.share.limit, rows)

\* Whether a store admits a row where these will be the rows.
Admits(rows) == IF Rule("least") THEN Fit(rows) ELSE \E row \in rows : Within(row.share.limit, rows)

Leases(rows) == {row \in rows : row.deadline # Kept}

(***************************************************************************)
(* Members                                                                 *)
(***************************************************************************)

\* Forgets what can make no difference any more: what a member knew that is done, and replies that will not count.
Settled(r) ==
    LET after == IF r.assertion.step = "sent" THEN r.hold.after ELSE {}
        ended(stage) == [Newcomer EXCEPT !.stage = stage, !.assertion = r.assertion, !.hold.after = after]
    IN
    CASE r.stage = "held" /\ r.hold.left = 0 -> ended("over")
      [] r.stage \in {"left", "over"}        -> ended(r.stage)
      [] r.stage \in {"kept", "stale"}       ->
             [Newcomer EXCEPT !.stage = r.stage,
                              !.hold.epoch = IF Rule("time") THEN 0 ELSE r.hold.epoch,
                              !.hold.after = r.hold.after]
      [] r.stage = "leaving"                 ->
             [Newcomer EXCEPT !.stage = r.stage, !.assertion = r.assertion,
                              !.hold.epoch = r.hold.epoch, !.hold.after = r.hold.after]
      [] r.stage = "asked" /\ Rule("receipt") /\ r.knows.epoch > r.hold.epoch -> [Newcomer EXCEPT !.stage = "over"]
      [] Rule("known") /\ Rule("stale")      -> [r EXCEPT !.renewed = {reply \in @ : reply.epoch >= r.knows.epoch}]
      [] OTHER -> r

Becomes(m, r) == members' = [members EXCEPT ![m] = Settled(r)]

Holds(m) == members[m].stage = "held"       \* a hold that has ended is settled at once

\* What is left of a hold of this epoch when this much of it was left before: a member that knows its epoch, or that it is
\* being copied to the next one or was, holds for as long as its authority lease lasts; for any other it stays what it was.
Lasting(known, epoch, before) ==
    IF known.epoch = epoch \/ (known.phase \in {"FAILING_BACK", "PRIMARY"} /\ known.epoch = epoch + 1) THEN known.left ELSE before

Tick ==
    /\ drained' = IF state.phase = "DRAINING" /\ drained < Wait THEN drained + 1 ELSE drained
    /\ members' = [m \in Members |-> Settled([members[m] EXCEPT
           !.knows.left = Less(@), !.reply.left = Less(@), !.hold.left = Less(@)])]
    /\ UNCHANGED <<state, terms, authority, servers, copies, highest>>

\* A reply that will tell nothing new is left out.
ReadState(m) ==
    LET r == members[m]
        reply == [epoch |-> state.epoch, phase |-> state.phase, left |-> Lease]
    IN
    /\ r.stage \in {"new", "asked", "held"}
    /\ r.reply = NoReply /\ r.knows # reply
    /\ Becomes(m, [r EXCEPT !.reply = reply])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

LearnState(m) ==
    LET r == members[m]
        told == r.reply
        heard == [r EXCEPT !.knows = told, !.reply = NoReply]
    IN
    /\ told # NoReply
    /\ Becomes(m,
           IF ~Holds(m) THEN heard
           ELSE IF Rule("confirm") THEN [heard EXCEPT !.hold.left = Lasting(told, r.hold.epoch, @)]
           ELSE [heard EXCEPT !.hold.left = told.left, !.hold.epoch = told.epoch])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

\* The end of the lock's own lease, of the process, or of the wait for a reply.
GiveUp(m) ==
    /\ members[m].stage \in {"asked", "held"}
    /\ Becomes(m, [members[m] EXCEPT !.stage = "over"])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

\* The reply to an acquire arrives.
ReceiveGrant(m) ==
    LET r == members[m]
        phase == IF r.hold.from = 0 THEN "FALLBACK" ELSE "PRIMARY"
        counts == /\ r.knows.left > 0
                  /\ Rule("receipt") => r.knows.epoch = r.hold.epoch /\ r.knows.phase = phase
    IN
    /\ r.stage = "asked"
    /\ Becomes(m, IF counts THEN [r EXCEPT !.stage = "held", !.hold.left = r.knows.left, !.hold.from = 0]
                  ELSE [r EXCEPT !.stage = "over"])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

\* The reply to a renewal arrives. It confirms a hold of the previous epoch, too. As no store shortens a lease, the latest of
\* all deadlines that were replied is the one that counts, for the holder and for its process. (In DRAINING the former primary may still
\* grant to members that do not know yet, and a row of this hold that ends there does not stop it: until no member can be
\* among them any more, the deadline stays what both stores have.)
ReceiveRenewal(m) ==
    \E reply \in members[m].renewed :
    LET r == members[m]
        counts == Rule("known") => reply.epoch = r.knows.epoch
        epoch == IF counts THEN r.knows.epoch ELSE r.hold.epoch
        moved == Rule("drain") /\ r.knows.phase = "DRAINING" => state.phase # "DRAINING" \/ drained = Wait
        moves == /\ counts \/ ~Rule("stale")
                 /\ moved
    IN
    /\ Becomes(m, [r EXCEPT
           !.renewed = @ \ {reply},
           !.hold.epoch = epoch,
           !.hold.left = Lasting(r.knows, epoch, @),
           !.hold.deadline = IF moves THEN Max(@, reply.deadline) ELSE @,
           !.hold.noted = IF ~moves THEN @ ELSE IF Rule("order") THEN Max(@, reply.deadline) ELSE reply.deadline])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

Release(m) ==
    /\ Holds(m)
    /\ Becomes(m, [members[m] EXCEPT !.stage = "leaving"])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

\* The end of a minimum hold, or of its process; or its process is not healthy while grants drain.
EndMinimumHold(m) ==
    /\ members[m].stage \in {"kept", "stale"}
    /\ \E stage \in {"stale", "over"} \ {members[m].stage} : Becomes(m, [members[m] EXCEPT !.stage = stage])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

SendAssertion(m) ==
    LET r == members[m] IN
    /\ Holds(m)
    /\ r.knows.phase = "DRAINING" /\ r.knows.epoch = r.hold.epoch + 1
    /\ r.assertion = NoAssertion
    /\ Becomes(m, [r EXCEPT !.assertion = [step |-> "sent", epoch |-> r.knows.epoch, deadline |-> r.hold.noted]])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

\* The reply to an assertion arrives.
ReceiveAssertion(m) ==
    LET r == members[m] IN
    /\ r.assertion.step = "granted" /\ Holds(m)
    /\ Becomes(m, IF r.hold.epoch >= r.assertion.epoch THEN [r EXCEPT !.assertion = NoAssertion]
                  ELSE [r EXCEPT !.assertion = NoAssertion,
                                 !.hold.epoch = r.assertion.epoch,
                                 !.hold.left = Lasting(r.knows, r.assertion.epoch, @)])
    /\ UNCHANGED <<state, terms, drained, authority, servers, copies, highest>>

(***************************************************************************)
(* The authority                                                           *)
(***************************************************************************)

\* The members that were granted the lock so far, whether they know or not. Of two tokens the later is the greater (TokensRise).
Served == {m \in Members : members[m].stage # "new"}

AcquireAtAuthority(m) ==
    LET r == members[m]
        token == Max(state.base, authority.last) + 1
    IN
    /\ r.stage = "new"
    /\ state.phase = "FALLBACK" /\ r.knows.epoch = state.epoch /\ r.knows.phase = "FALLBACK"
    /\ Admits(Put(Row(m, 0), authority.rows))
    /\ authority' = [rows |-> Put(Row(m, 0), authority.rows), last |-> token]
    /\ Becomes(m, [r EXCEPT !.stage = "asked",
           !.hold = [NoHold EXCEPT !.epoch = state.epoch, !.late = token <= highest, !.after = Served]])
    /\ highest' = Max(highest, token)
    /\ UNCHANGED <<state, terms, drained, servers, copies>>

\* Whether a renewal with this reply may change anything for its holder; if not, it is left out.
News(r, reply) == reply \notin r.renewed /\ (r.hold.epoch # reply.epoch \/ r.hold.deadline < reply.deadline)

\* A renewal never shortens a lease, and prolongs no other.
Renewal(epoch, row, length) == [epoch |-> epoch, deadline |-> Max(row.deadline, length)]

RenewAtAuthority(m) ==
    \E length \in Lengths, row \in Of(m, authority.rows) :
    LET r == members[m]
        reply == Renewal(state.epoch, row, length)
    IN
    /\ Holds(m)
    /\ state.phase \in {"DRAINING", "FALLBACK"} /\ r.knows.epoch = state.epoch
    /\ News(r, reply)
    /\ authority' = [authority EXCEPT !.rows = Until(m, reply.deadline, @)]
    /\ Becomes(m, [r EXCEPT !.renewed = @ \cup {reply}])
    /\ UNCHANGED <<state, terms, drained, servers, copies, highest>>

\* The rows that a release leaves.
Left(m, rows) == IF Rule("own") \/ ~Has(m, rows) THEN But(m, rows) ELSE {}

\* Leaves a tombstone: an assertion that arrives later is refused, which is as if it never arrived.
ReleaseAtAuthority(m) ==
    LET r == members[m] IN
    /\ r.stage = "leaving"
    /\ state.phase \in {"DRAINING", "FALLBACK"}
    /\ authority' = [authority EXCEPT !.rows = Left(m, @)]
    /\ Becomes(m, [r EXCEPT !.stage = "left", !.assertion = IF Rule("tombstone") THEN NoAssertion ELSE @])
    /\ UNCHANGED <<state, terms, drained, servers, copies, highest>>

\* A release with a minimum hold: the row stays, and lasts that long. (In DRAINING the former primary may still grant when
\* the row of the lease that was released ends there, which is why nothing is promised.)
KeepAtAuthority(m) ==
    LET r == members[m] IN
    /\ Holds(m)
    /\ state.phase \in {"DRAINING", "FALLBACK"} /\ r.knows.epoch = state.epoch
    /\ Has(m, authority.rows)
    /\ authority' = [authority EXCEPT !.rows = Until(m, Kept, @)]
    /\ Becomes(m, [r EXCEPT !.stage = IF state.phase = "DRAINING" THEN "stale" ELSE "kept", !.hold.epoch = state.epoch])
    /\ UNCHANGED <<state, terms, drained, servers, copies, highest>>

\* Whether the minimum hold of this member is asserted in this DRAINING. (Without the rule it is taken for a lease, of which
\* nothing is left once another epoch has come and gone.)
MayTransfer(m) == Rule("time") \/ state.epoch <= members[m].hold.epoch + 2

\* The rows of other members that could not be there together with this one, even if there were no others.
Opposed(row, rows) == {other \in But(row.who, rows) : ~Fit({row, other})}

\* A minimum hold gives way to what was granted later and is opposed to it: then its process missed a drain.
GivesWay(row, m) == Rule("later") /\ row.deadline = Kept /\ row.who \in members[m].hold.after

\* Whether the assertion of this row is admitted beside these. A lease has to fit beside all other leases. A minimum hold counts only
\* where it is opposed to a single row: otherwise one that is stale would keep out a lease that was granted in its place. So rows may have
\* more permits than the least limit, until minimum holds have ended; nothing is granted beside them.
Admitted(row, rows) ==
    LET leases == Leases(rows)
        counted == IF Rule("single") THEN leases ELSE {other \in rows : ~GivesWay(other, row.who)}
    IN
    \/ Has(row.who, rows)
    \/ /\ Rule("beside") => (row.deadline = Kept /\ Rule("single")) \/ Admits(Put(row, counted))
       /\ \A other \in Opposed(row, IF Rule("beside") THEN rows ELSE rows \ leases) : GivesWay(other, row.who)
    \/ ~Rule("absent")

\* The rows once the assertion of this row is admitted.
With(row, rows) ==
    IF Has(row.who, rows) THEN rows
    ELSE Put(row, rows \ Opposed(row, IF Rule("absent") THEN rows \ Leases(rows) ELSE rows))

\* What is asserted has the share of its grant.
Asserted(m, deadline) ==
    [Row(m, deadline) EXCEPT !.share = IF ~Rule("share") THEN Shared ELSE IF ~Rule("others") THEN Exclusive ELSE @]

AssertMinimumHold(m) ==
    LET row == Asserted(m, Kept) IN
    /\ members[m].stage \in {"kept", "stale"}
    /\ state.phase = "DRAINING" /\ MayTransfer(m)
    /\ ~Has(m, authority.rows) /\ Admitted(row, authority.rows)
    /\ authority' = [authority EXCEPT !.rows = With(row, @)]
    /\ Becomes(m, [members[m] EXCEPT !.hold.epoch = state.epoch])
    /\ UNCHANGED <<state, terms, drained, servers, copies, highest>>

AssertAtAuthority(m) ==
    LET r == members[m]
        row == Asserted(m, r.assertion.deadline)
        stands == Admitted(row, authority.rows)
    IN
    /\ r.assertion.step = "sent"
    /\ state.epoch = r.assertion.epoch
    /\ state.phase = "DRAINING" \/ (~Rule("absent") /\ state.phase = "FALLBACK")
    /\ authority' = IF stands THEN [authority EXCEPT !.rows = With(row, @)] ELSE authority
    /\ Becomes(m, [r EXCEPT !.assertion =
           IF stands /\ r.stage \in {"held", "leaving"} THEN [@ EXCEPT !.step = "granted"] ELSE NoAssertion])
    /\ UNCHANGED <<state, terms, drained, servers, copies, highest>>

\* A row ends at its store no earlier than for the holder who counts on it, or will once it has the reply.
Counted(row) ==
    LET r == members[row.who] IN
    \/ r.stage = "asked"
    \/ r.stage = "held" /\ r.hold.deadline <= row.deadline
    \/ r.stage = "kept" /\ row.deadline = Kept

\* The rows once this one has ended.
Rest(row, rows) == IF Rule("each") THEN rows \ {row} ELSE {}

ExpireAtAuthority ==
    \E row \in authority.rows :
    /\ ~Counted(row)
    /\ authority' = [authority EXCEPT !.rows = Rest(row, @)]
    /\ UNCHANGED <<state, terms, drained, servers, copies, members, highest>>

(***************************************************************************)
(* The primary                                                             *)
(***************************************************************************)

\* Requests of this epoch may have been sent: by a member that knew that the primary was activated.
Activated(e) == terms[e] # 0 /\ (e < state.epoch \/ state.phase = "PRIMARY")

\* What the server makes sure of in the atomic step in which it grants, renews or releases.
Obeys(s, e) ==
    /\ servers[s].replicationId # 0
    /\ Rule("replication") => servers[s].replicationId = terms[e]
    /\ Rule("record") => servers[s].record.epoch = e

AcquireAtServer(m, s, e) ==
    LET r == members[m]
        token == servers[s].record.last + 1
    IN
    /\ r.stage = "new" /\ r.knows.epoch >= e
    /\ Activated(e) /\ Obeys(s, e)
    /\ Admits(Put(Row(m, 0), servers[s].rows[e]))
    /\ Rule("span") /\ Rule("record") => token <= servers[s].record.limit
    /\ servers' = [servers EXCEPT ![s].rows[e] = Put(Row(m, 0), @), ![s].record.last = token]
    /\ Becomes(m, [r EXCEPT !.stage = "asked",
           !.hold = [NoHold EXCEPT !.epoch = e, !.from = servers[s].replicationId, !.late = token <= highest, !.after = Served]])
    /\ highest' = Max(highest, token)
    /\ UNCHANGED <<state, terms, drained, authority, copies>>

RenewAtServer(m, s, e) ==
    \E length \in Lengths, row \in Of(m, servers[s].rows[e]) :
    LET r == members[m]
        reply == Renewal(e, row, length)
    IN
    /\ Holds(m) /\ r.knows.epoch >= e
    /\ Activated(e) /\ Obeys(s, e)
    /\ News(r, reply)
    /\ servers' = [servers EXCEPT ![s].rows[e] = Until(m, reply.deadline, @)]
    /\ Becomes(m, [r EXCEPT !.renewed = @ \cup {reply}])
    /\ UNCHANGED <<state, terms, drained, authority, copies, highest>>

ReleaseAtServer(m, s, e) ==
    LET r == members[m] IN
    /\ r.stage = "leaving" /\ e >= r.hold.epoch
    /\ Rule("tombstone") => r.assertion = NoAssertion
    /\ Activated(e) /\ Obeys(s, e)
    /\ servers' = [servers EXCEPT ![s].rows[e] = Left(m, @)]
    /\ Becomes(m, [r EXCEPT !.stage = "left"])
    /\ UNCHANGED <<state, terms, drained, authority, copies, highest>>

KeepAtServer(m, s, e) ==
    LET r == members[m] IN
    /\ Holds(m) /\ e = r.hold.epoch /\ r.assertion = NoAssertion
    /\ Activated(e) /\ Obeys(s, e)
    /\ Has(m, servers[s].rows[e])
    /\ servers' = [servers EXCEPT ![s].rows[e] = Until(m, Kept, @)]
    /\ Becomes(m, [r EXCEPT !.stage = "kept"])
    /\ UNCHANGED <<state, terms, drained, authority, copies, highest>>

ExpireAtServer(s, e) ==
    /\ \E row \in servers[s].rows[e] :
           /\ ~Counted(row)
           /\ servers' = [servers EXCEPT ![s].rows[e] = Rest(row, @)]
    /\ UNCHANGED <<state, terms, drained, authority, copies, members, highest>>

\* A replica becomes a master of its own: with the record, which is old, and with the rows or without. The other one goes on.
\* (A server without a record has nothing to lose; that the promoted one has none, Flush sees to.)
Promote ==
    /\ servers[2].replicationId = 0 /\ servers[1].record # NoRecord
    /\ \E rows \in {servers[1].rows, NoRows} :
           servers' = [servers EXCEPT ![2] = [replicationId |-> 2, record |-> servers[1].record, rows |-> rows]]
    /\ UNCHANGED <<state, terms, drained, authority, copies, members, highest>>

Flush(s) ==
    /\ servers[s].record # NoRecord \/ servers[s].rows # NoRows
    /\ servers' = [servers EXCEPT ![s].record = NoRecord, ![s].rows = NoRows]
    /\ UNCHANGED <<state, terms, drained, authority, copies, members, highest>>

(***************************************************************************)
(* Transitions: each is one transaction of the authority, made only if the *)
(* state is the one that it starts from                                    *)
(***************************************************************************)

DrainPrimary ==
    /\ state.phase = "PRIMARY" /\ state.epoch < LastEpoch
    /\ state' = [epoch |-> state.epoch + 1, phase |-> "DRAINING",
                  base |-> IF Rule("raise") THEN state.base + Span ELSE state.base]
    /\ drained' = 0
    /\ UNCHANGED <<terms, authority, servers, copies, members, highest>>

\* A process that is healthy asserts its minimum holds in time.
ActivateFallback ==
    /\ state.phase = "DRAINING" /\ drained = Wait
    /\ \A m \in Members : members[m].stage = "kept" /\ MayTransfer(m) => Has(m, authority.rows)
    /\ state' = [state EXCEPT !.phase = "FALLBACK"]
    /\ drained' = 0
    /\ UNCHANGED <<terms, authority, servers, copies, members, highest>>

\* What is copied of these rows.
Copied(rows) ==
    IF ~Rule("copy") THEN {{}}
    ELSE IF ~Rule("all") /\ rows # {} THEN {{row} : row \in rows}
    ELSE IF ~Rule("shares") THEN {{[row EXCEPT !.share = Shared] : row \in rows}}
    ELSE {rows}

BeginFailback(s) ==
    LET next == state.epoch + 1
        base == IF Rule("keep") THEN Max(state.base, authority.last) ELSE authority.last
    IN
    /\ state.phase = "FALLBACK" /\ next <= LastEpoch
    /\ servers[s].replicationId # 0
    /\ state' = [epoch |-> next, phase |-> "FAILING_BACK",
                  base |-> base]
    /\ terms' = [terms EXCEPT ![next] = servers[s].replicationId]
    /\ \E rows \in Copied(authority.rows) : copies' = [copies EXCEPT ![next] = [step |-> "sent", rows |-> rows, base |-> base]]
    /\ UNCHANGED <<drained, authority, servers, members, highest>>

ActivatePrimary ==
    /\ state.phase = "FAILING_BACK" /\ copies[state.epoch].step = "done"
    /\ state' = [state EXCEPT !.phase = "PRIMARY"]
    /\ authority' = IF Rule("remove") THEN [authority EXCEPT !.rows = {}] ELSE authority
    /\ UNCHANGED <<terms, drained, servers, copies, members, highest>>

AbortFailback ==
    /\ state.phase = "FAILING_BACK" /\ state.epoch < LastEpoch
    /\ state' = [state EXCEPT !.epoch = @ + 1, !.phase = "FALLBACK"]
    /\ terms' = [terms EXCEPT ![state.epoch] = 0]
    /\ UNCHANGED <<drained, authority, servers, copies, members, highest>>

(***************************************************************************)
(* The failback: the process whose BeginFailback was accepted installs the *)
(* record, and then copies under it, so that whatever loses a copy loses the *)
(* record. Either may be carried out long after the epoch has ended.         *)
(***************************************************************************)

MayArrive(s, e) ==
    /\ servers[s].replicationId # 0
    /\ Rule("replication") /\ terms[e] # 0 => servers[s].replicationId = terms[e]

Install(s, e) ==
    LET copy == copies[e] IN
    /\ copy.step = (IF Rule("under") THEN "sent" ELSE "copied") \/ (copy.step # "none" /\ ~Rule("once"))
    /\ MayArrive(s, e) /\ servers[s].record.epoch < e
    /\ servers' = [servers EXCEPT ![s].record = [epoch |-> e, last |-> copy.base, limit |-> copy.base + Span]]
    /\ copies' = [copies EXCEPT ![e].step = IF Rule("under") THEN "installed" ELSE "done",
                                ![e].base = IF Rule("once") THEN 0 ELSE @]
    /\ UNCHANGED <<state, terms, drained, authority, members, highest>>

Copy(s, e) ==
    LET copy == copies[e] IN
    /\ copy.step = IF Rule("under") THEN "installed" ELSE "sent"
    /\ MayArrive(s, e) /\ (Rule("under") => servers[s].record.epoch = e)
    /\ servers' = [servers EXCEPT ![s].rows = [NoRows EXCEPT ![e] = copy.rows]]
    /\ copies' = [copies EXCEPT ![e].step = IF Rule("under") THEN "done" ELSE "copied", ![e].rows = {}]
    /\ UNCHANGED <<state, terms, drained, authority, members, highest>>

Next ==
    \/ Tick \/ Promote \/ DrainPrimary \/ ActivateFallback \/ ActivatePrimary \/ AbortFailback \/ ExpireAtAuthority
    \/ \E m \in Members :
          \/ ReadState(m) \/ LearnState(m) \/ ReceiveGrant(m) \/ ReceiveRenewal(m) \/ Release(m) \/ GiveUp(m)
          \/ SendAssertion(m) \/ ReceiveAssertion(m) \/ AssertMinimumHold(m) \/ EndMinimumHold(m) \/ KeepAtAuthority(m)
          \/ AcquireAtAuthority(m) \/ RenewAtAuthority(m) \/ ReleaseAtAuthority(m) \/ AssertAtAuthority(m)
    \/ \E s \in Servers :
          \/ Flush(s) \/ BeginFailback(s)
          \/ \E e \in Epochs :
                \/ ExpireAtServer(s, e) \/ Copy(s, e) \/ Install(s, e)
                \/ \E m \in Members :
                      \/ AcquireAtServer(m, s, e) \/ RenewAtServer(m, s, e) \/ ReleaseAtServer(m, s, e) \/ KeepAtServer(m, s, e)

Spec == Init /\ [][Next]_vars

(***************************************************************************)
(* What is promised                                                        *)
(***************************************************************************)

Held(kept) == {Row(m, 0) : m \in {m \in Members : Holds(m) \/ (kept /\ members[m].stage = "kept")}}

\* All valid leases are compatible: their permits are at most the least of their limits.
Compatible == Fit(Held(FALSE))

\* A share that is kept for a minimum hold counts as if it were held.
MinimumHolds == Fit(Held(TRUE))

\* What counts is carried through a drain: beside the rows of valid leases and of minimum holds, stale ones as well, no assertion of a
\* valid lease is refused, nor of a minimum hold whose process is healthy.
Carried == state.phase = "DRAINING" =>
    LET rows == {row \in authority.rows : Holds(row.who) \/ row.deadline = Kept} IN
    \A m \in Members :
        /\ Holds(m) /\ members[m].hold.epoch < state.epoch => Admitted(Asserted(m, 0), rows)
        /\ members[m].stage = "kept" /\ MayTransfer(m) => Admitted(Asserted(m, Kept), rows)

\* A grant that counts has a greater token than any grant before it, whether that one counted or not.
TokensRise == \A m \in Members : Holds(m) => ~members[m].hold.late

\* The grants of an epoch come from one place: one replication id of the primary, or the authority.
OneAuthority == \A m \in Members : members[m].stage = "asked" => members[m].hold.from = terms[members[m].hold.epoch]

\* A hold of the epoch in power is written where that epoch grants, for as long as its holder counts on it.
Backed == \A m \in Members : Holds(m) =>
    LET hold == members[m].hold
        lasts(rows) == \E row \in Of(m, rows) : row.share = ShareOf(m) /\ row.deadline >= hold.deadline
    IN
    /\ \/ state.phase \in {"DRAINING", "FALLBACK"} /\ state.epoch = hold.epoch
       \/ state.phase = "FAILING_BACK" /\ state.epoch = hold.epoch + 1
       => lasts(authority.rows)
    /\ \A s \in Servers, e \in {hold.epoch, hold.epoch + 1} \cap Epochs :
           Activated(e) /\ Obeys(s, e) => lasts(servers[s].rows[e])

\* The leases that a store has are compatible.
Fitting ==
    /\ Fit(Leases(authority.rows))
    /\ \A s \in Servers, e \in Epochs : Fit(Leases(servers[s].rows[e]))

\* A member that was told that its release was carried out leaves nothing at the authority.
ReleasedForGood == \A m \in Members : members[m].stage = "left" => ~Has(m, authority.rows)

\* The authority keeps nothing that it could not answer for.
EmptyUnderPrimary == state.phase = "PRIMARY" => authority.rows = {}

(***************************************************************************)
(* For the model checker                                                   *)
(***************************************************************************)

Alike == Permutations(Writers) \cup Permutations(Readers) \cup Permutations(Doubles)

\* Where no server fails and no failback is aborted: enough for many a mutant to be found, and sooner.
Calm ==
    /\ servers[2].replicationId = 0
    /\ \A e \in Epochs : Activated(e) => servers[1].record.epoch >= e
    /\ \A e \in Epochs : e < state.epoch /\ copies[e] # NoCopy => terms[e] # 0

\* Where no member asks for a minimum hold.
Brief == \A m \in Members : members[m].stage \notin {"kept", "stale"}

\* Where all members are granted their shares in the first epoch, and renew nothing.
First ==
    /\ state.epoch > 1 => \A m \in Members : members[m].stage # "new"
    /\ \A m \in Members : members[m].renewed = {}

\* Where a member keeps what it was granted in the first epoch, and no other acquires before the last: every order of
\* failbacks that are completed and that are aborted.
Keeping ==
    /\ state.epoch > 1 => \E m \in Members : members[m].stage = "kept"
    /\ state.epoch \in 2 .. LastEpoch - 1 => \A m \in Members : members[m].stage = "kept" \/ members[m] = Newcomer

=============================================================================
