package dev.holdfast.lock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which shares exist, which of them may be out together, and how a store without them refuses one. */
class ShareTest {

    private static final LockName JOB = new LockName("job");

    private static final AcquisitionId ID = new AcquisitionId(1, 2);

    @Test
    void exclusiveShare_besideAnyOther_isIncompatible() {
        assertThat(List.of(Share.EXCLUSIVE, Share.shared(), new Share(1, 4)))
                .noneMatch(other -> Share.areCompatible(List.of(Share.EXCLUSIVE, other)));
        assertThat(Share.areCompatible(List.of(Share.EXCLUSIVE))).isTrue();
    }

    @Test
    void sharedShares_inAnyNumber_areCompatible() {
        assertThat(Share.areCompatible(List.of(Share.shared(), Share.shared(), Share.shared())))
                .isTrue();
    }

    @Test
    void permits_ofDifferentLimits_areCompatibleUpToTheLeast() {
        Share two = new Share(2, 4);

        assertThat(Share.areCompatible(List.of(two, two))).isTrue();
        assertThat(Share.areCompatible(List.of(two, two, new Share(1, 8)))).isFalse();
        assertThat(Share.areCompatible(List.of(new Share(3, 8), new Share(1, 4))))
                .isTrue();
        assertThat(Share.areCompatible(List.of(new Share(4, 8), new Share(1, 4))))
                .isFalse();
    }

    @Test
    void permits_whoseSumExceedsAnInt_areIncompatible() {
        Share most = new Share(Share.UNLIMITED, Share.UNLIMITED);

        assertThat(Share.areCompatible(List.of(most, most))).isFalse();
    }

    @Test
    void share_thatCouldNeverBeGranted_isRefused() {
        assertThatThrownBy(() -> new Share(0, 4)).hasMessage("a share has at least 1 permit: 0");
        assertThatThrownBy(() -> new Share(5, 4))
                .hasMessage("5 permits are more than the limit of 4, and could never be granted");
    }

    @Test
    void share_asText_isReadable() {
        assertThat(List.of(Share.EXCLUSIVE, Share.shared(), new Share(2, 4)))
                .map(Share::toString)
                .containsExactly("1 of 1", "1 of any number", "2 of 4");
    }

    @Test
    void storeWithoutShares_askedForOne_refusesAndExecutesNothing() {
        Duration lease = Duration.ofMinutes(1);
        LockCommand exclusive = new LockCommand.Renew(JOB, ID, lease);

        assertThatThrownBy(() -> new RefusingStore()
                        .execute(List.of(exclusive, new LockCommand.Renew(JOB, ID, lease, new Share(2, 4))), lease))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("\"job\"", "2 of 4", "exclusive locks only", "SHARES");
    }

    /** A store of an author who knows no shares. */
    private static final class RefusingStore extends SimpleLockStore {

        @Override
        protected LockReply acquire(LockCommand.Acquire command, Duration timeout) {
            throw new AssertionError(command);
        }

        @Override
        protected LockReply renew(LockCommand.Renew command, Duration timeout) {
            throw new AssertionError(command);
        }

        @Override
        protected LockReply release(LockCommand.Release command, Duration timeout) {
            throw new AssertionError(command);
        }

        @Override
        public void close() {
            // opens nothing
        }
    }
}
