package dev.holdfast.lock.spi.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockProvidersTest {

    private static final class Named implements LockProvider {

        private final String name;

        private Named(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public LockStore open(Namespace namespace, Config config) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void named_knownName_returnsThatProvider() {
        LockProvider redis = new Named("redis");
        assertThat(LockProviders.of(List.of(new Named("jdbc"), redis)).named("lock.provider", "redis"))
                .isSameAs(redis);
    }

    @Test
    void named_unknownName_throwsAndListsTheProvidersFound() {
        refuses(List.of(new Named("redis"), new Named("jdbc")), "lock.provider=x", "[jdbc, redis]");
    }

    @Test
    void named_providerOfHoldfast_thatIsMissing_throwsAndNamesItsArtifact() {
        List<LockProvider> found = List.of(new Named("memory"));
        for (String name : List.of("redis", "jdbc", "composite")) {
            assertThatThrownBy(() -> LockProviders.of(found).named("lock.composite.primary", name))
                    .isInstanceOf(LockConfigurationException.class)
                    .message()
                    .contains("lock.composite.primary=" + name, "only [memory]", "add dev.holdfast:lock-" + name)
                    .doesNotContain(name.equals("jdbc") ? "redis" : "jdbc");
        }
        assertThatThrownBy(() -> LockProviders.of(found).named("lock.provider", "rediss"))
                .hasMessageContaining("did you mean redis?");
    }

    @Test
    void named_withoutProviders_throwsAndSaysWhatToAdd() {
        refuses(List.of(), "no lock provider is on the class path", "lock-jdbc");
        assertThatThrownBy(() -> LockProviders.find().named("lock.provider", "x"))
                .isInstanceOf(LockConfigurationException.class);
    }

    @Test
    void named_whenTwoShareTheName_throwsAndListsBoth() {
        String where =
                Named.class.getProtectionDomain().getCodeSource().getLocation().toString();
        refuses(List.of(new Named("x"), new Named("x")), "ambiguous", Named.class.getName(), where);
    }

    private static void refuses(List<LockProvider> found, String... parts) {
        assertThatThrownBy(() -> LockProviders.of(found).named("lock.provider", "x"))
                .isInstanceOf(LockConfigurationException.class)
                .message()
                .contains(parts);
    }
}
