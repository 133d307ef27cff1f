package dev.holdfast.lock.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On a store that outlives the tests. */
class SqliteTestLocksTest extends TestLocksContract {

    @TempDir
    static Path directory;

    @RegisterExtension
    static final LocksExtension LOCKS = LocksExtension.on(SqliteTestLocksTest::settings);

    private static Properties settings() {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "jdbc");
        settings.setProperty("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("locks.db"));
        return settings;
    }

    @ParameterizedTest
    @ValueSource(strings = {"first", "second"})
    void locks_ofEachTest_haveANamespaceOfTheirOwn(String order, Locks locks) {
        assertThat(locks.named("left-held").tryAcquire()).as(order).isPresent();
    }

    @Test
    void on_settingsWithANamespace_isRefused() {
        Properties settings = settings();
        settings.setProperty("lock.namespace", "shop");
        assertThatThrownBy(() -> TestLocks.on(settings))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.namespace");
    }

    @Test
    void makeUnreachable_forLongerThanALease_losesWhatIsHeld() throws InterruptedException {
        Properties settings = settings();
        settings.setProperty("lock.lease", "1s");
        try (TestLocks test = TestLocks.on(settings)) {
            Lease lease = test.locks().named("invoices").acquire();
            CountDownLatch lost = new CountDownLatch(1);
            lease.onLost(loss -> lost.countDown());
            test.makeUnreachable();
            lost.await();
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        }
    }
}
