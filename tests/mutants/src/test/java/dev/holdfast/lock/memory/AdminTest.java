package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.locks.SteppedTime;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The operator's side: settings, listings and forced releases. */
@Tag("first-build")
@ResourceLock(MutantProvider.RESTARTS)
class AdminTest {

    private final Properties configuration = new Properties();

    AdminTest() {
        configuration.setProperty("lock.provider", "memory");
        configuration.setProperty("lock.namespace", "admin-" + UUID.randomUUID());
    }

    @Test
    void failoverStatus_withoutComposite_isEmpty() {
        try (LockAdmin admin = LockAdmin.of(configuration)) {
            assertThat(admin.failoverStatus()).isEmpty();
        }
    }

    @Test
    void admin_ofOpenLocks_usesTheirStoreAndDoesNotCloseIt() throws Exception {
        try (Locks locks = Locks.open(configuration);
                Lease lease = locks.named("nightly").acquire()) {
            try (LockAdmin admin = locks.admin()) {
                admin.ping();
                assertThat(only(admin, "night").holder().orElseThrow().fencingToken())
                        .isEqualTo(lease.fencingToken());
            }
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(locks.named("nightly").tryAcquire()).isEmpty();
        }
    }

    @Test
    void ping_whenStoreThrows_throwsUnavailableAndNamesTheCause() {
        LockStore silent = new LockStore() {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                throw new IllegalStateException("the cable is cut");
            }

            @Override
            public void close() {}
        };
        try (LockAdmin admin = LockAdmin.of(silent, new Properties())) {
            assertThatThrownBy(admin::ping)
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("the cable is cut");
        }
    }

    @Test
    void settings_haveTheirValuesAndSources() {
        configuration.setProperty("lock.acquire-timeout", "5s");
        try (LockAdmin admin = LockAdmin.of(configuration)) {
            assertThat(admin.settings())
                    .contains(
                            new EffectiveSetting("lock.provider", "memory", "properties given"),
                            new EffectiveSetting("lock.acquire-timeout", "5s", "properties given"),
                            new EffectiveSetting("lock.lease", "30s", "default"),
                            new EffectiveSetting(
                                    "lock.max-local-handoffs", "16; more on a store that polls", "default"))
                    .extracting(EffectiveSetting::key)
                    .isSorted();
            assertThat(admin.provider()).isEqualTo("memory");
        }
    }

    @Test
    void admin_withInvalidConfiguration_isRefused() {
        configuration.setProperty("lock.lease", "soon");
        assertThatThrownBy(() -> LockAdmin.of(configuration))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.lease=soon");
    }

    @Test
    void locks_showHolderAndWaiters() throws Exception {
        try (Locks one = Locks.open(configuration);
                Locks other = Locks.open(configuration);
                LockAdmin admin = LockAdmin.of(configuration);
                Lease lease = one.named("nightly").acquire()) {
            CompletableFuture<Lease> waiter = other.named("nightly").acquireAsync(Duration.ofMinutes(1));
            awaitWaiters(admin, 1);

            LockInfo shown = only(admin, "night");
            assertThat(shown.holder().orElseThrow().fencingToken()).isEqualTo(lease.fencingToken());
            assertThat(shown.holder().orElseThrow().owner())
                    .startsWith(ProcessHandle.current().pid() + "@");
            assertThat(shown.waiters()).hasSize(1);
            assertThat(admin.locks("daily")).isEmpty();
            waiter.cancel(true);
        }
    }

    @Test
    void forceRelease_endsOnlyTheListedLease() throws Exception {
        SteppedTime time = new SteppedTime();
        LockStore store = new MemorySpace(time).open();
        Locks holder = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
        Locks next = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
        try (LockAdmin admin = LockAdmin.of(store, new Properties())) {
            Lease lease = holder.named("nightly").acquire();
            CompletableFuture<Lease> waiter = next.named("nightly").acquireAsync(Duration.ofMinutes(1));
            CompletableFuture<String> loss = new CompletableFuture<>();
            lease.onLost(lost -> loss.complete(lost.getMessage()));
            awaitWaiters(admin, 1);
            LockName name = new LockName("nightly");
            LockInfo.Holder shown = only(admin, "nightly").holder().orElseThrow();

            assertThat(admin.forceRelease(name, shown)).isTrue();

            Lease taken = Await.result(waiter);
            time.passUntil("the holder learns of it when it renews the lease", loss::isDone);
            assertThat(loss).isCompletedWithValueMatching(message -> message.contains("nightly"));
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            assertThat(admin.forceRelease(name, shown)).as("a second time").isFalse();
            assertThat(taken.state()).isEqualTo(LeaseState.HELD);
            taken.close();
            assertThat(admin.forceRelease(name, shown))
                    .as("after the holder has released")
                    .isFalse();
        } finally {
            time.close(holder, next);
        }
    }

    @Test
    void forceRelease_ofOneOfSeveralHolders_leavesTheOthersAlone() throws Exception {
        LockName name = new LockName("catalog");
        try (Locks locks = Locks.open(configuration);
                LockAdmin admin = LockAdmin.of(configuration);
                Lease one = locks.named("catalog").shared().acquire();
                Lease other = locks.named("catalog").shared().acquire()) {
            List<LockInfo.Holder> shown = only(admin, "catalog").holders();
            assertThat(shown)
                    .extracting(LockInfo.Holder::fencingToken)
                    .containsExactly(one.fencingToken(), other.fencingToken());

            assertThat(admin.forceRelease(name, shown.get(1))).isTrue();

            assertThat(only(admin, "catalog").holders()).hasSize(1);
            assertThat(one.release()).isTrue();
            assertThat(other.release()).as("whether it was held to the end").isFalse();
        }
    }

    @Test
    void admin_ofAGivenStore_leavesItOpen() throws Exception {
        LockStore store =
                MemorySpace.of(new Namespace("admin-" + UUID.randomUUID())).open();
        try (Locks locks = Locks.open(store, new Properties());
                Lease lease = locks.named("nightly").acquire()) {
            try (LockAdmin admin = LockAdmin.of(store, new Properties())) {
                assertThat(only(admin, "").holder().orElseThrow().fencingToken())
                        .isEqualTo(lease.fencingToken());
                assertThat(admin.provider()).isEqualTo("custom");
                assertThat(admin.settings())
                        .extracting(EffectiveSetting::key)
                        .contains("lock.lease")
                        .doesNotContain("lock.provider", "lock.namespace");
                assertThat(admin.diagnose())
                        .filteredOn(finding -> finding.subject().equals("settings"))
                        .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK));
            }
            assertThat(locks.named("weekly").tryAcquire()).isPresent();
        }
    }

    @Test
    void forceRelease_whileTheStoreIsUnreachable_fails() throws Exception {
        configuration.setProperty("lock.provider", "mutant");
        configuration.setProperty(MutantProvider.KIND.name(), Mutant.REFERENCE.name());
        try (MemoryConnection connection = new MemoryConnection(configuration);
                Locks locks = Locks.open(configuration);
                LockAdmin admin = LockAdmin.of(connection.configuration())) {
            LockName name = new LockName("nightly");
            LockInfo.Holder shown;
            try (Lease lease = locks.named("nightly").acquire()) {
                shown = only(admin, "nightly").holder().orElseThrow();
                connection.cut();
                assertThatThrownBy(() -> admin.forceRelease(name, shown))
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("may or may not have taken effect")
                        .hasMessageContaining("cut");
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            }
            connection.heal();
            assertThat(admin.forceRelease(name, shown))
                    .as("after the holder has released")
                    .isFalse();
        }
    }

    @Test
    void closedAdmin_refusesCalls() {
        LockAdmin admin = LockAdmin.of(configuration);
        admin.close();
        admin.close();
        assertThatIllegalStateException().isThrownBy(() -> admin.locks(""));
        assertThatIllegalStateException().isThrownBy(admin::diagnose);
        assertThat(admin.settings()).isNotEmpty();
    }

    private static LockInfo only(LockAdmin admin, String prefix) {
        try (Stream<LockInfo> locks = admin.locks(prefix)) {
            List<LockInfo> all = locks.toList();
            assertThat(all).hasSize(1);
            return all.get(0);
        }
    }

    private static void awaitWaiters(LockAdmin admin, int number) {
        Await.until("as many wait", () -> only(admin, "").waiters().size() >= number);
    }
}
