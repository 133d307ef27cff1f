package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Which locks are the same: those of one application, and of no other. */
@Tag("second-build")
class NamespacesTest {

    private static final String DATABASE = "jdbc:h2:mem:namespaces;DB_CLOSE_DELAY=-1";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(HoldfastAutoConfiguration.class, DataSourceAutoConfiguration.class));

    private final ApplicationContextRunner onDatabase =
            application.withPropertyValues("spring.datasource.url=" + DATABASE, "holdfast.jdbc.data-source=shared");

    private final ApplicationContextRunner onMemory = application.withPropertyValues("holdfast.provider=memory");

    @ParameterizedTest
    @CsvSource({
        "spring.application.name=shop, spring.application.name=shop, false",
        "spring.application.name=shop, spring.application.name=depot, true",
        "spring.application.name=shop, a=b, true",
        "spring.application.name=shop, holdfast.namespace=shop, false",
        "holdfast.namespace=default, a=b, false"
    })
    void applicationsOnOneDatabase_excludeEachOtherByTheirNames(String one, String other, boolean isFree) {
        onDatabase
                .withPropertyValues(one)
                .run(first -> onDatabase.withPropertyValues(other).run(second -> {
                    try (Lease lease = nightly(first).acquire()) {
                        assertThat(lease.isHeld()).isTrue();
                        assertThat(nightly(second).tryAcquire().isPresent()).isEqualTo(isFree);
                    }
                }));
    }

    @Test
    void nameOfTheApplication_thatNoNamespaceCanHave_isRefusedWithTheProperty() {
        for (ApplicationContextRunner each : List.of(
                onDatabase,
                application.withPropertyValues("holdfast.provider=jdbc", "holdfast.jdbc.url=" + DATABASE))) {
            each.withPropertyValues("spring.application.name=My Shop")
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasStackTraceContaining(
                                    "holdfast.namespace=My Shop (taken from spring.application.name)"));
        }
    }

    @Test
    void fence_hasTheNamespaceOfTheLocks() {
        assertThat(fencedNamespace(onDatabase.withPropertyValues("spring.application.name=shop")))
                .isEqualTo("shop");
        assertThat(fencedNamespace(onMemory.withPropertyValues("holdfast.namespace=depot")))
                .isEqualTo("depot");
        assertThat(fencedNamespace(onMemory)).isEqualTo("default");
        assertThat(fencedNamespace(application.withBean(LockStore.class, () -> new MemorySpace().open())))
                .isEqualTo("default");
    }

    @Test
    void contextsOnMemory_haveLocksOfTheirOwn() {
        onMemory.run(first -> onMemory.run(second -> {
            try (Lease lease = nightly(first).acquire();
                    Lease other = nightly(second).tryAcquire().orElseThrow()) {
                assertThat(List.of(lease, other)).allMatch(Lease::isHeld);
            }
        }));
    }

    @Test
    void contextsOnMemory_withTheSameSpaceAsBean_shareTheirLocks() {
        MemorySpace space = new MemorySpace();
        ApplicationContextRunner node = onMemory.withBean(MemorySpace.class, () -> space);
        node.run(first -> node.run(second -> {
            try (Lease lease = nightly(first).acquire()) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(nightly(second).tryAcquire()).isEmpty();
            }
        }));
    }

    @Test
    void spaceOfAContext_cleared_hasNoLockOfTheTestBefore() {
        onMemory.run(context -> {
            nightly(context).withMinimumHold(Duration.ofHours(1)).acquire().close();
            Lease forgotten = context.getBean(Locks.class).named("other").acquire();
            assertThat(nightly(context).tryAcquire()).isEmpty();

            context.getBean(MemorySpace.class).clear();

            assertThat(context.getBean(MemorySpace.class).namesInUse()).isZero();
            try (Lease lease = nightly(context).tryAcquire().orElseThrow()) {
                assertThat(lease.fencingToken()).isGreaterThan(forgotten.fencingToken());
            }
        });
    }

    /** A test replaces the provider of the application, and nothing else. */
    @Test
    void memory_besideSettingsOfOtherStores_isTaken() {
        onMemory.withPropertyValues(
                        "holdfast.jdbc.pool-size=3",
                        "holdfast.jdbc.url=jdbc:h2:mem:a",
                        "holdfast.jdbc.data-source=shared")
                .run(context ->
                        assertThat(context.getBean(Locks.class).provider()).isEqualTo("memory"));
    }

    private static DistributedLock nightly(ApplicationContext context) {
        return context.getBean(Locks.class).named("nightly");
    }

    private static String fencedNamespace(ApplicationContextRunner runner) {
        List<String> found = new ArrayList<>();
        runner.run(context -> {
            Fence fence = context.getBean(Fence.class);
            try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
                fence.createTable(connection);
                connection.setAutoCommit(false);
                try (Lease lease = context.getBean(Locks.class).named("fenced").acquire()) {
                    fence.enter(connection, lease);
                }
                found.add(onlyNamespace(connection));
            }
        });
        return found.get(0);
    }

    private static String onlyNamespace(Connection connection) throws SQLException {
        try (ResultSet row = connection.createStatement().executeQuery("SELECT namespace FROM holdfast_fence")) {
            row.next();
            return row.getString(1);
        }
    }
}
