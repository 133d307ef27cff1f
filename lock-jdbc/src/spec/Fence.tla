-------------------------------- MODULE Fence --------------------------------
(***************************************************************************)
(* The fence of an SQL database against holders that lost their lease: one *)
(* lock, one row of data that it guards, and the row of the fence.         *)
(*                                                                         *)
(* A transaction belongs to a holder with a token. It enters the fence,    *)
(* reads the data, and commits a value that it computed from what it read. *)
(* Leases are not in the model: any holder may go on at any time, whether  *)
(* its lease is over or not. A later holder may come before an earlier one *)
(* has begun. So every pause and every forgotten grant is in the model.    *)
(*                                                                         *)
(* The database has READ COMMITTED: a statement sees what was committed    *)
(* when it began, and a row that a transaction has written is locked until *)
(* the transaction ends. A stricter isolation level only refuses more.     *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    Last,    \* the number of the last transaction
    Without  \* which of the Rules is broken; "" for none

Rules == {
    "first",    \* a transaction enters before it reads, not only when it commits
    "locked",   \* the row of the fence stays locked until the transaction ends
    "compare",  \* a token below that of the row is refused
    "floor",    \* a first entry is refused if its token is below the floor
    "afresh"    \* it reads the floor when it has the row, not before
}

ASSUME Without \in Rules \cup {""}

Transactions == 1..Last

(* The second and the third transaction are of one lease, and so on. *)
TokenOf == [t \in Transactions |-> t \div 2 + 1]

VARIABLES
    phase,   \* of each transaction: "new", "begun", "entered", "read", "ready", "committed", "refused"
    known,   \* the floor when each transaction began its first statement
    seen,    \* how many commits each transaction has seen in the data
    row,     \* the token in the row of the fence; 0: there is no row
    floor,   \* the greatest token of a row that was pruned
    former,  \* what the row was before the transaction that has it locked
    lock,    \* the transaction that has the row locked; 0 for none
    data     \* the commits: what each had seen, and its token, in their order

variables == <<phase, known, seen, row, floor, former, lock, data>>

Init ==
    /\ phase = [t \in Transactions |-> "new"]
    /\ known = [t \in Transactions |-> 0]
    /\ seen = [t \in Transactions |-> 0]
    /\ row = 0
    /\ floor = 0
    /\ former = 0
    /\ lock = 0
    /\ data = <<>>

Refused(t) ==
    \/ Without # "compare" /\ row # 0 /\ TokenOf[t] < row
    \/ Without # "floor" /\ row = 0 /\ TokenOf[t] < IF Without = "afresh" THEN known[t] ELSE floor

Greater(a, b) == IF a > b THEN a ELSE b

(* The statement has begun, and may have to wait: what it knew then, it knows from here on. *)
Begin(t) ==
    /\ phase[t] = "new"
    /\ phase' = [phase EXCEPT ![t] = "begun"]
    /\ known' = [known EXCEPT ![t] = floor]
    /\ UNCHANGED <<seen, row, floor, former, lock, data>>

(* The statement waits while another transaction has the row locked. *)
Pass(t, next) ==
    /\ lock = 0
    /\ IF Refused(t)
       THEN /\ phase' = [phase EXCEPT ![t] = "refused"]
            /\ UNCHANGED <<row, former, lock>>
       ELSE /\ phase' = [phase EXCEPT ![t] = next]
            /\ former' = row
            /\ row' = Greater(row, TokenOf[t])
            /\ lock' = IF Without = "locked" THEN 0 ELSE t
    /\ UNCHANGED <<known, seen, floor, data>>

Enter(t) ==
    IF Without = "first"
    THEN phase[t] = "read" /\ Pass(t, "ready")
    ELSE phase[t] = "begun" /\ Pass(t, "entered")

Read(t) ==
    /\ phase[t] = IF Without = "first" THEN "begun" ELSE "entered"
    /\ phase' = [phase EXCEPT ![t] = IF Without = "first" THEN "read" ELSE "ready"]
    /\ seen' = [seen EXCEPT ![t] = Len(data)]
    /\ UNCHANGED <<known, row, floor, former, lock, data>>

Unlocked(t) == IF lock = t THEN 0 ELSE lock

Commit(t) ==
    /\ phase[t] = "ready"
    /\ phase' = [phase EXCEPT ![t] = "committed"]
    /\ data' = Append(data, [seen |-> seen[t], token |-> TokenOf[t]])
    /\ lock' = Unlocked(t)
    /\ UNCHANGED <<known, seen, row, floor, former>>

(* Of its own accord, or because its process died: the row is what it was. *)
RollBack(t) ==
    /\ phase[t] \in {"entered", "read", "ready"}
    /\ phase' = [phase EXCEPT ![t] = "refused"]
    /\ row' = IF lock = t THEN former ELSE row
    /\ lock' = Unlocked(t)
    /\ UNCHANGED <<known, seen, floor, former, data>>

(* An idle row is removed, and the floor raised, in one transaction. *)
Prune ==
    /\ lock = 0
    /\ row # 0
    /\ floor' = Greater(floor, row)
    /\ row' = 0
    /\ UNCHANGED <<phase, known, seen, former, lock, data>>

Next ==
    \/ Prune
    \/ \E t \in Transactions : Begin(t) \/ Enter(t) \/ Read(t) \/ Commit(t) \/ RollBack(t)

Spec == Init /\ [][Next]_variables

-----------------------------------------------------------------------------

(* Each transaction has seen all that were committed before it. *)
NoLostUpdate == \A i \in 1..Len(data) : data[i].seen = i - 1

TokenOrder == \A i, j \in 1..Len(data) : i < j => data[i].token <= data[j].token
=============================================================================
