package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.ExplainedHistory;
import dev.holdfast.lock.testing.RandomHistory;
import dev.holdfast.lock.testing.Seeds;
import java.sql.SQLException;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random histories of shares and exclusive locks, in stepped time. The same on each database. */
abstract class ShareSemanticsTest extends NotificationSemanticsTest {

    private static final int SEEDS = 2;

    /** The store for a history, without locks. */
    abstract RandomHistory.Subject history() throws SQLException;

    static LongStream seeds() {
        return Seeds.some(SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void commands_forSharesAndExclusiveLocks_areDecidedAsTheModelDemands(long seed) throws SQLException {
        Seeds.run(seed, each -> ExplainedHistory.run(each, history()));
    }
}
