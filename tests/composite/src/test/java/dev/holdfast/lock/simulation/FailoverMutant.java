package dev.holdfast.lock.simulation;

import dev.holdfast.lock.composite.protocol.BrokenRule;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Each breaks one rule of the protocol. */
enum FailoverMutant {
    NONE,

    // the primary's
    NO_RECORD_CHECK,
    NO_REPLICATION_ID_CHECK,
    NO_ROLE_CHECK,
    /** An install is delivered a second time, after the data was lost. */
    INSTALL_RUNS_TWICE,
    COPY_WRITES_NOTHING {
        @Override
        List<TransferredLease> copied(List<TransferredLease> leases) {
            return List.of();
        }
    },
    /** Of several leases of a lock one is copied. */
    COPIES_ONE_LEASE {
        @Override
        List<TransferredLease> copied(List<TransferredLease> leases) {
            Set<LockName> names = new HashSet<>();
            return leases.stream().filter(lease -> names.add(lease.name())).toList();
        }
    },
    COPIES_LEASES_AS_SHARED {
        @Override
        Share copied(Share share) {
            return Share.shared();
        }
    },
    HIDES_ITS_CLOCK,

    // the authority's
    ASSERTS_IN_ANY_STATE,
    FORGETS_RELEASES,
    FORGETS_MINIMUM_HOLDS,
    KEPT_STANDS_IN_THE_WAY,
    ASSERTS_LEASES_AS_SHARED {
        @Override
        Share asserted(Share share) {
            return Share.shared();
        }
    },
    ASSERTS_LEASES_AS_EXCLUSIVE {
        @Override
        Share asserted(Share share) {
            return Share.EXCLUSIVE;
        }
    },
    LEAVES_ROWS_AT_ACTIVATION,
    BASE_STAYS,

    // the process's
    SHORT_DRAIN(BrokenRule.WITHOUT_DRAIN),
    EVERY_GRANT_COUNTS(BrokenRule.ACCEPTING_LATE_GRANTS),
    CONFIRMS_BY_ITSELF(BrokenRule.CONFIRMING_BY_ITSELF),
    /** Acts upon a reply for several authority leases too long. */
    GOES_ON_WITHOUT_THE_AUTHORITY,
    TRANSFERS_NO_MINIMUM_HOLD(BrokenRule.WITHOUT_MINIMUM_HOLDS),
    /** A minimum hold is transferred only for as long as a lease would be. */
    TRANSFERS_MINIMUM_HOLDS_AS_LEASES(BrokenRule.TRANSFERRING_MINIMUM_HOLDS_AS_LEASES),
    TRANSFERS_NOTHING(BrokenRule.WITHOUT_TRANSFER),
    MOVES_DEADLINES_BACK(BrokenRule.MOVING_DEADLINES_BACK),
    SHORTENS_LEASES(BrokenRule.SHORTENING_LEASES);

    /** The rule that the members break. */
    final BrokenRule rule;

    FailoverMutant() {
        this(BrokenRule.NONE);
    }

    FailoverMutant(BrokenRule rule) {
        this.rule = rule;
    }

    /** The share as which the authority counts a lease that is asserted. */
    Share asserted(Share share) {
        return share;
    }

    /** What the primary writes of these leases. */
    List<TransferredLease> copied(List<TransferredLease> leases) {
        return leases;
    }

    /** The share as which the primary counts a lease that is copied. */
    Share copied(Share share) {
        return share;
    }
}
