------------------------------- MODULE Regime -------------------------------
(***************************************************************************)
(* Who grants a lock: a primary that is fast and may forget, or an         *)
(* authority that is slow and does not. PROTOCOL.md tells it in words;     *)
(* this is the same, for one lock, so that a model checker can look at     *)
(* every order of events.                                                  *)
(*                                                                         *)
(* A member stands for one process and one acquisition: it asks once. Two  *)
(* acquisitions of one process are two members that happen to know the     *)
(* same.                                                                   *)
(*                                                                         *)
(* What keeps the model small, and loses nothing:                          *)
(*  - Time is what is left of leases. A Tick shortens them all; there is   *)
(*    no clock to run out, so an exhausted state space is about every      *)
(*    length of time.                                                      *)
(*  - A request is not kept from sending to execution: it may be carried   *)
(*    out at any time from which on somebody may have sent it, or never.   *)
(*    So every delay is in the model. (The exceptions are in `claim' and   *)
(*    `copies': there it matters what was known when it was sent.)         *)
(*  - An answer is kept until it is received, which may be never.          *)
(*  - The regime is asked for at the instant at which the authority reads  *)
(*    it: asking earlier only makes for a shorter lease, and whoever has a *)
(*    shorter one can do nothing that it could not do with a longer one.   *)
(*  - Depose, Prepare, Burn and the failures need no reason, and Open no   *)
(*    observer: the first who could open saw the DRAIN when it began.      *)
(*  - Deadlines of the lock itself are ordinals: 0 as granted, 1 as        *)
(*    renewed. A holder may find itself beyond its own at any time; the    *)
(*    store, not before the holder.                                        *)
(*  - Who is done with the lock need know nothing any more.                *)
(*  - A minimum hold begins when a store has carried out the release. It  *)
(*    is asserted at one instant, any time in a DRAIN. If its process is   *)
(*    not well in a DRAIN, the hold is `stale' from then on: it may still  *)
(*    be asserted, but nothing is promised any more.                       *)
(***************************************************************************)
EXTENDS Integers, TLC

CONSTANTS
    Members,    \* who wants the lock
    Nobody,     \* who does not
    Lease,      \* for how long an answer that tells the regime may be acted upon, in ticks
    Wait,       \* for how long a DRAIN lasts at least
    LastEpoch,  \* where the model ends
    Span,       \* how many tokens the primary may grant in one epoch
    Without     \* which of the Rules is broken; "" for none

Rules == {
    "mark",         \* the primary grants only where the mark of the epoch is
    "lineage",      \* ... and only if its lineage is the epoch's
    "receipt",      \* a grant counts only if, on receipt, its epoch is the one known
    "absent",       \* a re-assertion takes nobody's row away
    "once",         \* what is copied to the primary is sent once
    "copy",         \* what the authority granted is copied before the primary grants
    "under",        \* what is copied is copied under the mark, so that whatever loses a copy loses the mark
    "clear",        \* what was copied is removed from the authority when the primary is crowned
    "remember",     \* a release goes where a re-assertion on its way finds it
    "word",         \* only a store's word takes a hold to another epoch
    "known",        \* ... and only to the epoch that is known on receipt
    "stale",        \* a renewal of another epoch than the known one moves no deadline
    "patience",     \* no renewal moves a deadline before the leases of the deposed epoch are over
    "raise",        \* deposing raises the base by all the primary may have granted
    "keep",         \* preparing never lowers the base
    "span",         \* the primary refuses when its tokens are used up
    "time",         \* a minimum hold is asserted in every DRAIN for as long as its own time lasts, whatever its epoch
    "later"}        \* ... and gives way to what was granted later

ASSUME /\ Lease \in Nat /\ Wait \in Nat /\ Span \in Nat /\ LastEpoch \in Nat
       /\ Without \in Rules \cup {""}

Rule(name) == Without # name

VARIABLES
    regime,     \* the authority's sentence: epoch, mode, base
    reigns,     \* per epoch, the lineage that was crowned, or is to be; 0 for the authority itself
    drained,    \* how long the DRAIN has lasted; up to Wait
    authority,  \* the authority's row of the lock, and the last token it granted
    servers,    \* per server of the primary: its lineage (0: a replica), its mark, its row of the lock per epoch
    copies,     \* per epoch, the way of the authority's row to the primary
    members,    \* per member: what it knows, does, and awaits
    highest     \* the highest token granted so far, by whomever

vars == <<regime, reigns, drained, authority, servers, copies, members, highest>>

Epochs  == 1 .. LastEpoch
Servers == {1, 2}
Modes   == {"PRIMARY", "DRAIN", "FALLBACK", "PREPARE"}

Max(a, b)  == IF a > b THEN a ELSE b
Less(time) == IF time = 0 THEN 0 ELSE time - 1

\* A row that lasts for a minimum hold.
Kept    == 2

NoRow   == [who |-> Nobody, term |-> 0]
NoRows  == [e \in Epochs |-> NoRow]
NoMark  == [epoch |-> 0, last |-> 0, limit |-> 0]
NoCopy  == [step |-> "none", row |-> NoRow, base |-> 0]
NoWord  == [epoch |-> 0, mode |-> "DRAIN", left |-> 0]
NoHold  == [epoch |-> 0, left |-> 0, term |-> 0, from |-> 0, late |-> FALSE, after |-> {}]
NoClaim == [step |-> "none", epoch |-> 0, term |-> 0]

Newcomer == [
    knows   |-> NoWord,     \* the regime it knows, and what is left of its regime lease
    answer  |-> NoWord,     \* the authority's answer that is on its way to it
    phase   |-> "new",      \* new, asked, held, leaving, left (released), kept (released, and kept for a minimum hold),
                            \* stale (as kept, but its process missed a DRAIN), over (ended otherwise)
    hold    |-> NoHold,     \* what it was granted: under which epoch, what is left of it, after whom
    renewed |-> 0,          \* the epoch under which it was renewed, while that answer is on its way; 0 if none is
    claim   |-> NoClaim]    \* its re-assertion

Init ==
    /\ regime = [epoch |-> 1, mode |-> "FALLBACK", base |-> 1]
    /\ reigns = [e \in Epochs |-> 0]
    /\ drained = 0
    /\ authority = [row |-> NoRow, last |-> 0]
    /\ servers = [s \in Servers |-> [lineage |-> IF s = 1 THEN 1 ELSE 0, mark |-> NoMark, rows |-> NoRows]]
    /\ copies = [e \in Epochs |-> NoCopy]
    /\ members = [m \in Members |-> Newcomer]
    /\ highest = 1      \* granted before there was a regime: the first base is not below it

(***************************************************************************)
(* Members                                                                 *)
(***************************************************************************)

\* Forgets what can make no difference any more: what those who are done knew, and answers that will not count.
Settled(r) ==
    CASE r.phase = "held" /\ r.hold.left = 0 -> [Newcomer EXCEPT !.phase = "over", !.claim = r.claim,
                                                               !.hold.after = IF r.claim.step = "sent" THEN r.hold.after ELSE {}]
      [] r.phase \in {"left", "over"}        -> [Newcomer EXCEPT !.phase = r.phase, !.claim = r.claim,
                                                               !.hold.after = IF r.claim.step = "sent" THEN r.hold.after ELSE {}]
      [] r.phase \in {"kept", "stale"}       -> [Newcomer EXCEPT !.phase = r.phase, !.hold.epoch = IF Rule("time") THEN 0 ELSE r.hold.epoch,
                                                               !.hold.after = r.hold.after]
      [] r.phase = "leaving"                 -> [Newcomer EXCEPT !.phase = r.phase, !.claim = r.claim, !.hold.epoch = r.hold.epoch, !.hold.after = r.hold.after]
      [] r.phase = "asked" /\ Rule("receipt") /\ r.knows.epoch > r.hold.epoch -> [Newcomer EXCEPT !.phase = "over"]
      [] r.renewed # 0 /\ Rule("known") /\ Rule("stale") /\ r.knows.epoch > r.renewed -> [r EXCEPT !.renewed = 0]
      [] OTHER -> r

Becomes(m, r) == members' = [members EXCEPT ![m] = Settled(r)]

Holds(m) == members[m].phase = "held"       \* a hold that has ended is settled at once

\* What is left of a hold of this epoch when this much of it was left before: whoever knows its epoch, or that it is being
\* copied to the next one or was, holds for as long as its regime lease lasts; for anybody else it stays what it was.
Lasting(known, epoch, before) ==
    IF known.epoch = epoch \/ (known.mode \in {"PREPARE", "PRIMARY"} /\ known.epoch = epoch + 1) THEN known.left ELSE before

Tick ==
    /\ drained' = IF regime.mode = "DRAIN" /\ drained < Wait THEN drained + 1 ELSE drained
    /\ members' = [m \in Members |-> Settled([members[m] EXCEPT
           !.knows.left = Less(@), !.answer.left = Less(@), !.hold.left = Less(@)])]
    /\ UNCHANGED <<regime, reigns, authority, servers, copies, highest>>

\* An answer that will tell nothing new is left out.
Ask(m) ==
    LET r == members[m]
        answer == [epoch |-> regime.epoch, mode |-> regime.mode, left |-> Lease]
    IN
    /\ r.phase \in {"new", "asked", "held"}
    /\ r.answer = NoWord /\ r.knows # answer
    /\ Becomes(m, [r EXCEPT !.answer = answer])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

Hear(m) ==
    LET r == members[m]
        told == r.answer
        heard == [r EXCEPT !.knows = told, !.answer = NoWord]
    IN
    /\ told # NoWord
    /\ Becomes(m,
           IF ~Holds(m) THEN heard
           ELSE IF Rule("word") THEN [heard EXCEPT !.hold.left = Lasting(told, r.hold.epoch, @)]
           ELSE [heard EXCEPT !.hold.left = told.left, !.hold.epoch = told.epoch])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

\* The end of the lock's own lease, of the process, or of the patience with an answer.
GiveUp(m) ==
    /\ members[m].phase \in {"asked", "held"}
    /\ Becomes(m, [members[m] EXCEPT !.phase = "over"])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

\* The answer to an acquire arrives.
Count(m) ==
    LET r == members[m]
        mode == IF r.hold.from = 0 THEN "FALLBACK" ELSE "PRIMARY"
        counts == /\ r.knows.left > 0
                  /\ Rule("receipt") => r.knows.epoch = r.hold.epoch /\ r.knows.mode = mode
    IN
    /\ r.phase = "asked"
    /\ Becomes(m, IF counts THEN [r EXCEPT !.phase = "held", !.hold.left = r.knows.left, !.hold.from = 0]
                  ELSE [r EXCEPT !.phase = "over"])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

\* The answer to a renewal arrives. It confirms a hold of the epoch before, too. (In a DRAIN the deposed primary may still
\* grant to those who do not know yet, and a row of this hold that ends there is then not in their way: until nobody can be
\* among them any more, the deadline stays what both stores have.)
Confirm(m) ==
    LET r == members[m]
        counts == Rule("known") => r.renewed = r.knows.epoch
        epoch == IF counts THEN r.knows.epoch ELSE r.hold.epoch
        patient == Rule("patience") /\ r.knows.mode = "DRAIN" => regime.mode # "DRAIN" \/ drained = Wait
        moves == /\ counts \/ ~Rule("stale")
                 /\ patient
    IN
    /\ r.renewed # 0
    /\ Becomes(m, [r EXCEPT
           !.renewed = 0,
           !.hold.epoch = epoch,
           !.hold.left = Lasting(r.knows, epoch, @),
           !.hold.term = IF moves THEN 1 ELSE @])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

Release(m) ==
    /\ Holds(m)
    /\ Becomes(m, [members[m] EXCEPT !.phase = "leaving"])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

\* The end of a minimum hold, or of its process; or its process is not well while grants drain.
GiveUpKept(m) ==
    /\ members[m].phase \in {"kept", "stale"}
    /\ \E phase \in {"stale", "over"} \ {members[m].phase} : Becomes(m, [members[m] EXCEPT !.phase = phase])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

Claim(m) ==
    LET r == members[m] IN
    /\ Holds(m)
    /\ r.knows.mode = "DRAIN" /\ r.knows.epoch = r.hold.epoch + 1
    /\ r.claim = NoClaim
    /\ Becomes(m, [r EXCEPT !.claim = [step |-> "sent", epoch |-> r.knows.epoch, term |-> r.hold.term]])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

\* The answer to a re-assertion arrives.
Keep(m) ==
    LET r == members[m] IN
    /\ r.claim.step = "granted" /\ Holds(m)
    /\ Becomes(m, IF r.hold.epoch >= r.claim.epoch THEN [r EXCEPT !.claim = NoClaim]
                  ELSE [r EXCEPT !.claim = NoClaim,
                                 !.hold.epoch = r.claim.epoch,
                                 !.hold.left = Lasting(r.knows, r.claim.epoch, @)])
    /\ UNCHANGED <<regime, reigns, drained, authority, servers, copies, highest>>

(***************************************************************************)
(* The authority                                                           *)
(***************************************************************************)

\* Those who were granted the lock so far, whether they know or not. Of two tokens the later one is the greater (TokensRise).
Served == {m \in Members : members[m].phase # "new"}

AcquireAtAuthority(m) ==
    LET r == members[m]
        token == Max(regime.base, authority.last) + 1
    IN
    /\ r.phase = "new"
    /\ regime.mode = "FALLBACK" /\ r.knows.epoch = regime.epoch /\ r.knows.mode = "FALLBACK"
    /\ authority.row = NoRow
    /\ authority' = [row |-> [who |-> m, term |-> 0], last |-> token]
    /\ Becomes(m, [r EXCEPT !.phase = "asked",
           !.hold = [NoHold EXCEPT !.epoch = regime.epoch, !.late = token <= highest, !.after = Served]])
    /\ highest' = Max(highest, token)
    /\ UNCHANGED <<regime, reigns, drained, servers, copies>>

\* Whether a renewal may change anything for its holder; if not, it is left out.
News(r, epoch) == r.hold.epoch # epoch \/ r.hold.term = 0

RenewAtAuthority(m) ==
    LET r == members[m] IN
    /\ Holds(m)
    /\ regime.mode \in {"DRAIN", "FALLBACK"} /\ r.knows.epoch = regime.epoch
    /\ authority.row.who = m /\ News(r, regime.epoch)
    /\ authority' = [authority EXCEPT !.row.term = 1]
    /\ Becomes(m, [r EXCEPT !.renewed = regime.epoch])
    /\ UNCHANGED <<regime, reigns, drained, servers, copies, highest>>

\* Also remembers it: a re-assertion that arrives later is refused, which is as if it never arrived.
ReleaseAtAuthority(m) ==
    LET r == members[m] IN
    /\ r.phase = "leaving"
    /\ regime.mode \in {"DRAIN", "FALLBACK"}
    /\ authority' = [authority EXCEPT !.row = IF @.who = m THEN NoRow ELSE @]
    /\ Becomes(m, [r EXCEPT !.phase = "left", !.claim = IF Rule("remember") THEN NoClaim ELSE @])
    /\ UNCHANGED <<regime, reigns, drained, servers, copies, highest>>

\* A release with a minimum hold: the row stays, and lasts for as long as that. (In a DRAIN the deposed primary may still grant
\* when the row of the lease that was given back ends there, which is why nothing is promised.)
KeepAtAuthority(m) ==
    LET r == members[m] IN
    /\ Holds(m)
    /\ regime.mode \in {"DRAIN", "FALLBACK"} /\ r.knows.epoch = regime.epoch
    /\ authority.row.who = m
    /\ authority' = [authority EXCEPT !.row.term = Kept]
    /\ Becomes(m, [r EXCEPT !.phase = IF regime.mode = "DRAIN" THEN "stale" ELSE "kept", !.hold.epoch = regime.epoch])
    /\ UNCHANGED <<regime, reigns, drained, servers, copies, highest>>

\* Whether what this member keeps is asserted in the DRAIN that is. (Without the rule it is taken for a lease, of which nothing
\* is left once another epoch has come and gone.)
Carries(m) == Rule("time") \/ regime.epoch <= members[m].hold.epoch + 2

\* What another keeps gives way to what this member was granted later.
GivesWay(row, m) == Rule("later") /\ row.term = Kept /\ row.who \in members[m].hold.after

AssertKept(m) ==
    LET row == authority.row IN
    /\ members[m].phase \in {"kept", "stale"}
    /\ regime.mode = "DRAIN" /\ Carries(m)
    /\ row = NoRow \/ GivesWay(row, m)
    /\ authority' = [authority EXCEPT !.row = [who |-> m, term |-> Kept]]
    /\ Becomes(m, [members[m] EXCEPT !.hold.epoch = regime.epoch])
    /\ UNCHANGED <<regime, reigns, drained, servers, copies, highest>>

ClaimAtAuthority(m) ==
    LET r == members[m]
        stands == authority.row.who \in {m, Nobody} \/ GivesWay(authority.row, m) \/ ~Rule("absent")
    IN
    /\ r.claim.step = "sent"
    /\ regime.epoch = r.claim.epoch
    /\ regime.mode = "DRAIN" \/ (~Rule("absent") /\ regime.mode = "FALLBACK")
    /\ authority' = IF stands /\ authority.row.who # m
                    THEN [authority EXCEPT !.row = [who |-> m, term |-> r.claim.term]] ELSE authority
    /\ Becomes(m, [r EXCEPT !.claim = IF stands /\ r.phase \in {"held", "leaving"} THEN [@ EXCEPT !.step = "granted"] ELSE NoClaim])
    /\ UNCHANGED <<regime, reigns, drained, servers, copies, highest>>

\* A row ends at its store no earlier than for the holder who counts on it, or will once it has the answer.
Counted(row) ==
    LET r == members[row.who] IN
    \/ r.phase = "asked"
    \/ r.phase = "held" /\ r.hold.term <= row.term
    \/ r.phase = "kept" /\ row.term = Kept

ExpireAtAuthority ==
    /\ authority.row # NoRow /\ ~Counted(authority.row)
    /\ authority' = [authority EXCEPT !.row = NoRow]
    /\ UNCHANGED <<regime, reigns, drained, servers, copies, members, highest>>

(***************************************************************************)
(* The primary                                                             *)
(***************************************************************************)

\* Requests of this epoch may have been sent: by somebody who knew that the primary was crowned.
Crowned(e) == reigns[e] # 0 /\ (e < regime.epoch \/ regime.mode = "PRIMARY")

\* What the server makes sure of in the atomic step in which it grants, renews or releases.
Obeys(s, e) ==
    /\ servers[s].lineage # 0
    /\ Rule("lineage") => servers[s].lineage = reigns[e]
    /\ Rule("mark") => servers[s].mark.epoch = e

AcquireAtServer(m, s, e) ==
    LET r == members[m]
        token == servers[s].mark.last + 1
    IN
    /\ r.phase = "new" /\ r.knows.epoch >= e
    /\ Crowned(e) /\ Obeys(s, e)
    /\ servers[s].rows[e] = NoRow
    /\ Rule("span") /\ Rule("mark") => token <= servers[s].mark.limit
    /\ servers' = [servers EXCEPT ![s].rows[e] = [who |-> m, term |-> 0], ![s].mark.last = token]
    /\ Becomes(m, [r EXCEPT !.phase = "asked",
           !.hold = [NoHold EXCEPT !.epoch = e, !.from = servers[s].lineage, !.late = token <= highest, !.after = Served]])
    /\ highest' = Max(highest, token)
    /\ UNCHANGED <<regime, reigns, drained, authority, copies>>

RenewAtServer(m, s, e) ==
    LET r == members[m] IN
    /\ Holds(m) /\ r.knows.epoch >= e
    /\ Crowned(e) /\ Obeys(s, e)
    /\ servers[s].rows[e].who = m /\ News(r, e)
    /\ servers' = [servers EXCEPT ![s].rows[e].term = 1]
    /\ Becomes(m, [r EXCEPT !.renewed = e])
    /\ UNCHANGED <<regime, reigns, drained, authority, copies, highest>>

ReleaseAtServer(m, s, e) ==
    LET r == members[m] IN
    /\ r.phase = "leaving" /\ e >= r.hold.epoch
    /\ Rule("remember") => r.claim = NoClaim
    /\ Crowned(e) /\ Obeys(s, e)
    /\ servers' = [servers EXCEPT ![s].rows[e] = IF @.who = m THEN NoRow ELSE @]
    /\ Becomes(m, [r EXCEPT !.phase = "left"])
    /\ UNCHANGED <<regime, reigns, drained, authority, copies, highest>>

KeepAtServer(m, s, e) ==
    LET r == members[m] IN
    /\ Holds(m) /\ e = r.hold.epoch /\ r.claim = NoClaim
    /\ Crowned(e) /\ Obeys(s, e)
    /\ servers[s].rows[e].who = m
    /\ servers' = [servers EXCEPT ![s].rows[e].term = Kept]
    /\ Becomes(m, [r EXCEPT !.phase = "kept"])
    /\ UNCHANGED <<regime, reigns, drained, authority, copies, highest>>

ExpireAtServer(s, e) ==
    /\ servers[s].rows[e] # NoRow /\ ~Counted(servers[s].rows[e])
    /\ servers' = [servers EXCEPT ![s].rows[e] = NoRow]
    /\ UNCHANGED <<regime, reigns, drained, authority, copies, members, highest>>

\* A replica becomes a master of its own: with the mark, which is old, and with the row or without. The other one goes on.
\* (A server without a mark has nothing to lose; that the promoted one has none, Flush sees to.)
Promote ==
    /\ servers[2].lineage = 0 /\ servers[1].mark # NoMark
    /\ \E rows \in {servers[1].rows, NoRows} :
           servers' = [servers EXCEPT ![2] = [lineage |-> 2, mark |-> servers[1].mark, rows |-> rows]]
    /\ UNCHANGED <<regime, reigns, drained, authority, copies, members, highest>>

Flush(s) ==
    /\ servers[s].mark # NoMark \/ servers[s].rows # NoRows
    /\ servers' = [servers EXCEPT ![s].mark = NoMark, ![s].rows = NoRows]
    /\ UNCHANGED <<regime, reigns, drained, authority, copies, members, highest>>

(***************************************************************************)
(* Changes of the regime: each is one transaction of the authority, made   *)
(* only if the regime is the one that it starts from                       *)
(***************************************************************************)

Depose ==
    /\ regime.mode = "PRIMARY" /\ regime.epoch < LastEpoch
    /\ regime' = [epoch |-> regime.epoch + 1, mode |-> "DRAIN",
                  base |-> IF Rule("raise") THEN regime.base + Span ELSE regime.base]
    /\ drained' = 0
    /\ UNCHANGED <<reigns, authority, servers, copies, members, highest>>

\* Whose process is well asserts what it keeps in time.
Open ==
    /\ regime.mode = "DRAIN" /\ drained = Wait
    /\ \A m \in Members : members[m].phase = "kept" /\ Carries(m) => authority.row.who = m
    /\ regime' = [regime EXCEPT !.mode = "FALLBACK"]
    /\ drained' = 0
    /\ UNCHANGED <<reigns, authority, servers, copies, members, highest>>

Prepare(s) ==
    LET next == regime.epoch + 1
        base == IF Rule("keep") THEN Max(regime.base, authority.last) ELSE authority.last
    IN
    /\ regime.mode = "FALLBACK" /\ next <= LastEpoch
    /\ servers[s].lineage # 0
    /\ regime' = [epoch |-> next, mode |-> "PREPARE",
                  base |-> base]
    /\ reigns' = [reigns EXCEPT ![next] = servers[s].lineage]
    /\ copies' = [copies EXCEPT ![next] =
           [step |-> "sent", row |-> IF Rule("copy") THEN authority.row ELSE NoRow, base |-> base]]
    /\ UNCHANGED <<drained, authority, servers, members, highest>>

Crown ==
    /\ regime.mode = "PREPARE" /\ copies[regime.epoch].step = "done"
    /\ regime' = [regime EXCEPT !.mode = "PRIMARY"]
    /\ authority' = IF Rule("clear") THEN [authority EXCEPT !.row = NoRow] ELSE authority
    /\ UNCHANGED <<reigns, drained, servers, copies, members, highest>>

Burn ==
    /\ regime.mode = "PREPARE" /\ regime.epoch < LastEpoch
    /\ regime' = [regime EXCEPT !.epoch = @ + 1, !.mode = "FALLBACK"]
    /\ reigns' = [reigns EXCEPT ![regime.epoch] = 0]
    /\ UNCHANGED <<drained, authority, servers, copies, members, highest>>

(***************************************************************************)
(* The way back: whoever made the PREPARE installs the mark, and then      *)
(* copies under it, so that whatever loses a copy loses the mark. Either   *)
(* may be carried out when the epoch is long over.                         *)
(***************************************************************************)

MayArrive(s, e) ==
    /\ servers[s].lineage # 0
    /\ Rule("lineage") /\ reigns[e] # 0 => servers[s].lineage = reigns[e]

Install(s, e) ==
    LET copy == copies[e] IN
    /\ copy.step = (IF Rule("under") THEN "sent" ELSE "copied") \/ (copy.step # "none" /\ ~Rule("once"))
    /\ MayArrive(s, e) /\ servers[s].mark.epoch < e
    /\ servers' = [servers EXCEPT ![s].mark = [epoch |-> e, last |-> copy.base, limit |-> copy.base + Span]]
    /\ copies' = [copies EXCEPT ![e].step = IF Rule("under") THEN "installed" ELSE "done",
                                ![e].base = IF Rule("once") THEN 0 ELSE @]
    /\ UNCHANGED <<regime, reigns, drained, authority, members, highest>>

Copy(s, e) ==
    LET copy == copies[e] IN
    /\ copy.step = IF Rule("under") THEN "installed" ELSE "sent"
    /\ MayArrive(s, e) /\ (Rule("under") => servers[s].mark.epoch = e)
    /\ servers' = [servers EXCEPT ![s].rows = [NoRows EXCEPT ![e] = copy.row]]
    /\ copies' = [copies EXCEPT ![e].step = IF Rule("under") THEN "done" ELSE "copied", ![e].row = NoRow]
    /\ UNCHANGED <<regime, reigns, drained, authority, members, highest>>

Next ==
    \/ Tick \/ Promote \/ Depose \/ Open \/ Crown \/ Burn \/ ExpireAtAuthority
    \/ \E m \in Members :
          \/ Ask(m) \/ Hear(m) \/ GiveUp(m) \/ GiveUpKept(m) \/ KeepAtAuthority(m) \/ AssertKept(m) \/ Count(m) \/ Confirm(m) \/ Release(m) \/ Claim(m) \/ Keep(m)
          \/ AcquireAtAuthority(m) \/ RenewAtAuthority(m) \/ ReleaseAtAuthority(m) \/ ClaimAtAuthority(m)
    \/ \E s \in Servers :
          \/ Flush(s) \/ Prepare(s)
          \/ \E e \in Epochs :
                \/ ExpireAtServer(s, e) \/ Copy(s, e) \/ Install(s, e)
                \/ \E m \in Members : AcquireAtServer(m, s, e) \/ RenewAtServer(m, s, e) \/ ReleaseAtServer(m, s, e) \/ KeepAtServer(m, s, e)

Spec == Init /\ [][Next]_vars

(***************************************************************************)
(* What is promised                                                        *)
(***************************************************************************)

Mutex == \A a, b \in Members : Holds(a) /\ Holds(b) => a = b

\* What is kept for a minimum hold is nobody else's.
MinimumHolds == \A a, b \in Members : members[a].phase = "kept" => ~Holds(b)

\* No holder's claim is refused in its DRAIN for what is only kept: each minimum hold in its way is of a grant before its own, as
\* of no other grant could anybody have had the lock while it is held.
HoldersFirst == \A m \in Members :
    regime.mode = "DRAIN" /\ Holds(m) /\ members[m].hold.epoch < regime.epoch /\ authority.row.term = Kept
    => authority.row.who = m \/ GivesWay(authority.row, m)

\* A grant that counts has a greater token than any grant before it, whether that one counted or not.
TokensRise == \A m \in Members : Holds(m) => ~members[m].hold.late

\* The grants of an epoch come from one place: one lineage of the primary, or the authority.
OneAuthority == \A m \in Members : members[m].phase = "asked" => members[m].hold.from = reigns[members[m].hold.epoch]

\* A hold of the epoch in power is written where that epoch grants, for as long as its holder counts on it.
Backed == \A m \in Members : Holds(m) =>
    LET hold == members[m].hold
        lasts(row) == row.who = m /\ row.term >= hold.term
    IN
    /\ (regime.mode \in {"DRAIN", "FALLBACK"} /\ regime.epoch = hold.epoch) \/ (regime.mode = "PREPARE" /\ regime.epoch = hold.epoch + 1)
       => lasts(authority.row)
    /\ \A s \in Servers, e \in {hold.epoch, hold.epoch + 1} \cap Epochs :
           Crowned(e) /\ Obeys(s, e) => lasts(servers[s].rows[e])

\* Whoever was told that its release was carried out leaves nothing at the authority.
ReleasedForGood == \A m \in Members : members[m].phase = "left" => authority.row.who # m

\* The authority keeps nothing that it could not answer for.
EmptyUnderPrimary == regime.mode = "PRIMARY" => authority.row = NoRow

(***************************************************************************)
(* For the model checker                                                   *)
(***************************************************************************)

Alike == Permutations(Members)

\* Where no server fails and no epoch is burned: enough for many a mutant to show, and sooner.
Calm ==
    /\ servers[2].lineage = 0
    /\ \A e \in Epochs : Crowned(e) => servers[1].mark.epoch >= e
    /\ \A e \in Epochs : e < regime.epoch /\ copies[e] # NoCopy => reigns[e] # 0

\* Where nobody asks for a minimum hold.
Brief == \A m \in Members : members[m].phase \notin {"kept", "stale"}

\* Where somebody keeps what it was granted in the first epoch, and nobody else asks before the last: every order of returns
\* that come about and that do not.
Keeping ==
    /\ regime.epoch > 1 => \E m \in Members : members[m].phase = "kept"
    /\ regime.epoch \in 2 .. LastEpoch - 1 => \A m \in Members : members[m].phase = "kept" \/ members[m] = Newcomer

=============================================================================
