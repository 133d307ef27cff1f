package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.testing.RandomHistory;
import java.sql.SQLException;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random histories of shares and exclusive locks, in stepped time. The same on each database. */
abstract class ShareSemanticsTest extends NotificationSemanticsTest {

    private static final int SEEDS = Integer.getInteger("lock.test.scale", 1);

    /** The store for a history, without locks. */
    abstract RandomHistory.Subject history() throws SQLException;

    static LongStream seeds() {
        Long one = Long.getLong("lock.test.seed");
        return one != null
                ? LongStream.of(one)
                : LongStream.concat(LongStream.range(0, SEEDS), new Random().longs(SEEDS));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void commands_forSharesAndExclusiveLocks_areDecidedAsTheModelDemands(long seed) throws SQLException {
        try {
            new RandomHistory(seed, history()).run();
        } catch (AssertionError e) {
            e.addSuppressed(new AssertionError("again with -Dlock.test.seed=" + seed));
            throw e;
        }
    }
}
