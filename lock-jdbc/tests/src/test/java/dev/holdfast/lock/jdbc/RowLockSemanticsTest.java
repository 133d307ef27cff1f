package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@link RowStoreSemanticsTest} on a database whose transactions lock rows: what one sees when it has waited for a row. */
abstract class RowLockSemanticsTest extends RowStoreSemanticsTest {

    /** The reply to a command that waits for the row of "raced" while another transaction executes the statements. */
    private LockReply replyAfter(LockCommand command, String... meanwhile) throws Exception {
        LockedRow.makeRows(store(), "raced");
        try (LockedRow other = new LockedRow(database(), "raced")) {
            CompletableFuture<LockReply> reply =
                    CompletableFuture.supplyAsync(() -> ask(store(), command), OwnThread.EACH);
            database().awaitBlocked("raced", 1);
            for (String statement : meanwhile) {
                other.execute(statement);
            }
            other.commit();
            return reply.get();
        }
    }

    private static String literal(AcquisitionId id) {
        byte[] bytes =
                ByteBuffer.allocate(16).putLong(id.high()).putLong(id.low()).array();
        return "X'" + HexFormat.of().formatHex(bytes) + "'";
    }

    /** A decision about the row as it was before the other transaction would grant a held lock. */
    @Test
    void acquire_whenAnotherTransactionGrants_waitsForItAndIsRefused() throws Exception {
        String grant = "UPDATE holdfast_lock SET state = 'held', expires_at = expires_at + 3600000000, id = "
                + literal(id()) + ", token = token + 1 WHERE name = " + RowDatabase.literal("raced");
        assertThat(replyAfter(acquire("raced", id()), grant)).isInstanceOf(LockReply.Busy.class);
    }
}
