package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spring.boot.LockDoctorEndpoint.Diagnosis;
import dev.holdfast.lock.spring.boot.LocksEndpoint.Entry;
import dev.holdfast.lock.spring.boot.LocksEndpoint.Holder;
import dev.holdfast.lock.spring.boot.LocksEndpoint.Page;
import dev.holdfast.lock.spring.boot.LocksEndpoint.Waiter;
import dev.holdfast.lock.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Tag("second-build")
class LocksEndpointTest {

    private final Properties settings = memory();
    private final Locks locks = Locks.openResolved(settings);
    private final LocksEndpoint endpoint = new LocksEndpoint(locks.admin());

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void pages_followEachOtherToTheEnd() throws Exception {
        List<String> names = List.of("a:1", "a:2", "a:3", "a:4", "a:5");
        for (String name : names) {
            locks.named(name).acquire();
        }
        locks.named("b:1").acquire();

        List<String> seen = new ArrayList<>();
        String after = null;
        int pages = 0;
        do {
            Page page = endpoint.locks("a:", after, 2);
            page.locks().forEach(lock -> seen.add(lock.name()));
            after = page.next();
            pages++;
        } while (after != null);

        assertThat(seen).isEqualTo(names);
        assertThat(pages).isEqualTo(3);
        assertThat(endpoint.locks(null, null, null).locks()).hasSize(6);
    }

    @Test
    void entry_showsHolderAndToken() throws Exception {
        try (Lease lease = locks.named("job").acquire()) {
            Entry entry = endpoint.locks("job", null, null).locks().get(0);

            assertThat(entry.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.fencingToken()).isEqualTo(Long.toString(lease.fencingToken()));
                assertThat(holder.application()).isNull();
                assertThat(holder.instance()).startsWith(ProcessHandle.current().pid() + "@");
                assertThat(holder.permits()).isEqualTo(1);
                assertThat(holder.limit()).isEqualTo(1);
            });
        }
    }

    @Test
    void entry_ofASharedLock_showsAllHoldersAndWaitersWithTheirShares() throws Exception {
        try (Lease reading = locks.named("job").shared().acquire();
                Lease permits = locks.semaphore("job", 4).acquire(2)) {
            CompletableFuture<Lease> writing = locks.named("job").acquireAsync();
            Await.until("it is listed", () -> !only().waiters().isEmpty());

            assertThat(only().holders())
                    .extracting(Holder::fencingToken, Holder::permits, Holder::limit)
                    .containsExactly(
                            tuple(Long.toString(reading.fencingToken()), 1, null),
                            tuple(Long.toString(permits.fencingToken()), 2, 4));
            assertThat(only().waiters())
                    .extracting(Waiter::permits, Waiter::limit)
                    .containsExactly(tuple(1, 1));
            writing.cancel(false);

            assertThat(endpoint.forceRelease("job", permits.fencingToken()).released())
                    .isTrue();
            assertThat(only().holders()).hasSize(1);
            assertThat(reading.release()).isTrue();
        }
    }

    private Entry only() {
        return endpoint.locks("job", null, null).locks().get(0);
    }

    @Test
    void holder_ofAnApplication_isShownWithItsName() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
                .withPropertyValues(
                        "holdfast.provider=memory",
                        "spring.application.name=a shop/of @mine",
                        "holdfast.namespace=shop")
                .run(context -> {
                    try (Lease lease = context.getBean(Locks.class).named("job").acquire()) {
                        assertThat(lease.isHeld()).isTrue();
                        Holder holder = new LocksEndpoint(context.getBean(LockAdmin.class))
                                .locks("job", null, null)
                                .locks()
                                .get(0)
                                .holders()
                                .get(0);
                        assertThat(holder.application()).isEqualTo("a shop-of -mine");
                        assertThat(holder.instance())
                                .startsWith(ProcessHandle.current().pid() + "@");
                    }
                });
    }

    @Test
    void doctor_examinesTheStore_inTheWordsOfTheApplication() {
        Diagnosis diagnosis = new LockDoctorEndpoint(locks.admin()).diagnose();

        assertThat(diagnosis.provider()).isEqualTo("memory");
        assertThat(diagnosis.worst()).isNotEqualTo("error");
        assertThat(diagnosis.findings())
                .isNotEmpty()
                .allSatisfy(finding -> assertThat(finding.found() + finding.advice())
                        .doesNotContainPattern("\\block\\.(lease|call-timeout|token-floor|provider)"));
        assertThat(LockDoctorEndpoint.Entry.of(Finding.note(
                                "a", "lock.lease=5s, in lock.properties", "raise lock.jdbc.pool-size. See"))
                        .toString())
                .contains("holdfast.lease=5s, in lock.properties", "raise holdfast.jdbc.pool-size. See");
    }

    @Test
    void entry_showsWhatWaits() throws Exception {
        try (Lease lease = locks.named("job").acquire();
                Locks elsewhere = Locks.openResolved(settings)) {
            CompletableFuture<Lease> waiting = elsewhere.named("job").acquireAsync();
            Await.until("it is listed", () -> !only().waiters().isEmpty());
            assertThat(lease.isHeld()).isTrue();
            waiting.cancel(false);
        }
    }

    @Test
    void forcedRelease_ofAnEarlierGrant_leavesTheLaterOneAlone() throws Exception {
        Lease earlier = locks.named("job").acquire();
        earlier.release();
        Lease later = locks.named("job").acquire();

        assertThat(endpoint.forceRelease("job", earlier.fencingToken()).released())
                .isFalse();
        assertThat(endpoint.locks("job", null, null).locks()).hasSize(1);
        assertThat(endpoint.forceRelease("job", later.fencingToken()).released())
                .isTrue();
        assertThat(endpoint.locks("job", null, null).locks()).isEmpty();
    }

    @Test
    void forcedRelease_isAnOperationOnlyWhenSwitchedOn() {
        assertThat(operations()).containsExactlyInAnyOrder("locks", "diagnose");
        assertThat(operations("management.endpoint.locks.access=UNRESTRICTED"))
                .containsExactlyInAnyOrder("locks", "diagnose", "forceRelease");
    }

    private static List<String> operations(String... properties) {
        List<String> found = new ArrayList<>();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        HoldfastAutoConfiguration.class,
                        HoldfastEndpointAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        JmxAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "holdfast.provider=memory",
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=locks,lockdoctor")
                .withPropertyValues(properties)
                .run(context -> context.getBean(JmxEndpointsSupplier.class)
                        .getEndpoints()
                        .forEach(each -> each.getOperations().forEach(operation -> found.add(operation.getName()))));
        return found;
    }

    private static Properties memory() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "memory");
        properties.setProperty("lock.namespace", "endpoint-" + UUID.randomUUID());
        return properties;
    }
}
