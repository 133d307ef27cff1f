package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spring.boot.internal.StoreAddress;
import dev.holdfast.lock.spring.boot.internal.StoreKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Which store an application's settings choose, with lock-redis, lock-jdbc and lock-composite on the class path. */
@Tag("second-build")
class StoreChoiceTest {

    private static final StoreAddress REDIS = new FakeAddress(
            StoreKind.REDIS, Map.of("lock.redis.uri", "redis://boot:6379/0", "lock.redis.password", "of-boot"), true);
    private static final StoreAddress DATABASE = new FakeAddress(
            StoreKind.JDBC,
            Map.of("lock.jdbc.url", "jdbc:postgresql://boot/app", "lock.jdbc.username", "of-boot"),
            true);

    private final Map<String, Object> given = new LinkedHashMap<>();

    @Test
    void onlyStoreWithAddress_isChosen() {
        LockSettings settings = settings(REDIS);

        assertThat(settings.get("lock.provider", "")).isEqualTo("redis");
        assertThat(settings.get("lock.redis.uri", "")).isEqualTo("redis://boot:6379/0");
        assertThat(settings.get("lock.redis.password", "")).isEqualTo("of-boot");
    }

    @Test
    void onlyStoreWithAddressOfItsOwn_isChosen() {
        given.put("holdfast.jdbc.url", "jdbc:sqlite:locks.db");

        assertThat(settings().get("lock.provider", "")).isEqualTo("jdbc");
    }

    @Test
    void twoStoresWithAddresses_areRefusedAndNamed() {
        given.put("holdfast.redis.uri", "redis://own");

        assertThatThrownBy(() -> settings(REDIS, DATABASE))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("redis (holdfast.redis.uri) and jdbc (spring.datasource)")
                .hasMessageContaining("set holdfast.provider");
    }

    @Test
    void noStoreWithAddress_isRefusedWithWhatToSet() {
        assertThatThrownBy(this::settings)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("holdfast.redis.uri")
                .hasMessageContaining("spring.datasource");
    }

    @Test
    void chosenStoreWithoutAddress_isRefusedWithWhatToSet() {
        given.put("holdfast.provider", "jdbc");

        assertThatThrownBy(() -> settings(REDIS))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("set holdfast.jdbc.url (or spring.datasource");
    }

    /** Boot does not read its properties then, and says nothing about that. */
    @Test
    void chosenStore_withoutTheModuleOfBootForIt_isRefusedWithTheModule() {
        given.put("holdfast.provider", "redis");
        given.put("spring.data.redis.host", "cache");

        assertThatThrownBy(() -> settings(DATABASE))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("if spring-boot-starter-data-redis is on the class path");
        assertThatThrownBy(() -> settings(DATABASE, new FakeAddress(StoreKind.REDIS, Map.of(), false)))
                .isInstanceOf(LockConfigurationException.class)
                .message()
                .doesNotContain("class path");
    }

    @Test
    void composite_takesBothAddresses() {
        given.put("holdfast.provider", "composite");

        LockSettings settings = settings(REDIS, DATABASE);

        assertThat(settings.get("lock.redis.uri", "")).isEqualTo("redis://boot:6379/0");
        assertThat(settings.get("lock.jdbc.url", "")).isEqualTo("jdbc:postgresql://boot/app");
    }

    @Test
    void addressOfItsOwn_takesNoCredentialsFromBoot() {
        given.put("holdfast.provider", "redis");
        given.put("holdfast.redis.uri", "redis://own");

        LockSettings settings = settings(REDIS);

        assertThat(settings.has("lock.redis.password")).isFalse();
    }

    @Test
    void credentialsOfItsOwn_havePrecedenceAtTheAddressOfBoot() {
        given.put("holdfast.redis.password", "own");

        assertThat(settings(REDIS).get("lock.redis.password", "")).isEqualTo("own");
    }

    @Test
    void sharedDataSource_withoutStoreOnIt_isRefused() {
        given.put("holdfast.jdbc.data-source", "shared");

        assertThatThrownBy(() -> settings(DATABASE))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("holdfast.jdbc.data-source=shared");
    }

    @Test
    void sharedDataSource_withSettingsOfAPool_isRefused() {
        given.put("holdfast.jdbc.data-source", "shared");
        given.put("holdfast.jdbc.pool-size", "3");

        assertThatThrownBy(() -> factory().forBean())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("holdfast.jdbc.pool-size is set, but the data source of the application");
    }

    @Test
    void variableOfTheEnvironmentThatIsNotKnown_isNoError() {
        StandardEnvironment environment = environment();
        environment.getPropertySources().forEach(source -> {
            if (source.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
                environment
                        .getPropertySources()
                        .replace(
                                source.getName(),
                                new SystemEnvironmentPropertySource(
                                        source.getName(), Map.of("HOLDFAST_SERVICE_HOST", "10.0.0.1")));
            }
        });

        assertThat(factory(environment, REDIS).forProvider().get("lock.provider", ""))
                .isEqualTo("redis");
    }

    private LockSettings settings(StoreAddress... addresses) {
        return factory(addresses).forProvider();
    }

    private LockSettingsFactory factory(StoreAddress... addresses) {
        return factory(environment(), addresses);
    }

    private static LockSettingsFactory factory(StandardEnvironment environment, StoreAddress... addresses) {
        HoldfastProperties bound = Binder.get(environment).bindOrCreate("holdfast", HoldfastProperties.class);
        return new LockSettingsFactory(
                environment, bound, List.of(addresses), () -> null, StoreChoiceTest.class.getClassLoader());
    }

    private StandardEnvironment environment() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", given));
        return environment;
    }

    private record FakeAddress(StoreKind kind, Map<String, String> settings, boolean isKnown) implements StoreAddress {}
}
