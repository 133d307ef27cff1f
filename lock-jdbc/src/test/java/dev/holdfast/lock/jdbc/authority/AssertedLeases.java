package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** An authority with leases to assert in DRAINING, and its replies. */
abstract class AssertedLeases {

    final Postgres database = Postgres.withTables();
    final Authority authority = Authority.founded(database);
    final AcquisitionId holder = id();

    @AfterEach
    final void close() {
        authority.close();
    }

    final LockReply.Granted asserted(long epoch, TransferredLease grant) {
        LockReply reply = authority.assertOne(epoch, grant);
        assertThat(reply).isInstanceOf(LockReply.Granted.class);
        return (LockReply.Granted) reply;
    }

    final void gone(long epoch, TransferredLease grant) {
        assertThat(authority.assertOne(epoch, grant)).isInstanceOf(LockReply.Gone.class);
    }

    final LockInfo lock(String name) {
        try (Stream<LockInfo> locks = authority.store().list(name, CALL)) {
            return locks.findFirst().orElseThrow();
        }
    }
}
