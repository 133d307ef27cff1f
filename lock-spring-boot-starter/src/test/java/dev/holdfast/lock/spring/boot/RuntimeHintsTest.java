package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

@Tag("second-build")
class RuntimeHintsTest {

    private final RuntimeHints hints = new RuntimeHints();

    RuntimeHintsTest() {
        new HoldfastRuntimeHints().registerHints(hints, RuntimeHintsTest.class.getClassLoader());
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock-api", "lock-jdbc", "lock-redis", "lock-composite"})
    void everyResource_ofEveryStore_hasAHint(String module) throws IOException {
        Path resources = Path.of("..", module, "src", "main", "resources");
        List<String> names;
        try (Stream<Path> files = Files.walk(resources)) {
            names = files.filter(Files::isRegularFile)
                    .map(file -> resources.relativize(file).toString().replace('\\', '/'))
                    .toList();
        }
        assertThat(names)
                .isNotEmpty()
                .allSatisfy(name -> assertThat(RuntimeHintsPredicates.resource().forResource(name))
                        .as(name)
                        .accepts(hints));
    }

    @Test
    void everyProvider_hasAHint() {
        assertThat(ServiceLoader.load(LockProvider.class).stream()
                        .filter(provider -> Set.of("memory", "jdbc", "redis", "composite")
                                .contains(provider.get().name()))
                        .map(ServiceLoader.Provider::type))
                .hasSize(4)
                .allSatisfy(
                        type -> assertThat(RuntimeHintsPredicates.reflection().onType(type))
                                .accepts(hints));
    }

    @Test
    void rootOfExpressions_hasAHint() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of("dev.holdfast.lock.spring.LockedCall"))
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
    }

    @Test
    void everyStandIn_forAStoreThatDoesNotAnswer_hasAHint() {
        try (Locks locks = DeferredLocks.open("memory", () -> {
            throw new LockUnavailableException("no answer", null);
        })) {
            DistributedLock lock = locks.named("one");
            assertThat(List.of(
                            lock,
                            lock.asLock(),
                            lock.asReadWriteLock(),
                            locks.semaphore("two", 2),
                            locks.elect("three", lease -> {}),
                            locks.admin()))
                    .allSatisfy(standIn -> assertThat(RuntimeHintsPredicates.proxies()
                                    .forInterfaces(standIn.getClass().getInterfaces()))
                            .accepts(hints));
        }
    }
}
