package dev.holdfast.lock.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.SettingNames;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Settings that a framework has resolved are called what the framework calls them. */
class SettingNamesTest {

    private static final ConfigKey<String> URL =
            ConfigKey.text("lock.jdbc.url", "where it is").required();
    private static final ConfigKey<String> USERNAME = ConfigKey.text("lock.jdbc.username", "the user");
    private static final Keys KEYS = new Keys(List.of(URL, USERNAME));

    private static final SettingNames NAMES = new SettingNames() {
        @Override
        public String name(String key) {
            return key.replace("lock.", "my.");
        }

        @Override
        public String origin(String key) {
            return "line of " + key;
        }
    };

    @Test
    void error_aboutAResolvedSetting_saysTheFrameworksNameAndOrigin() {
        assertThatThrownBy(() -> resolved("lock.lease", "1ms"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageStartingWith("my.lease=1ms (line of lock.lease) is not allowed; expected ");
        assertThatThrownBy(() -> resolved("lock.lease", " "))
                .hasMessageStartingWith("my.lease is empty (line of lock.lease)");
        assertThatThrownBy(() -> resolved("lock.leas", "1s"))
                .hasMessageStartingWith("unknown key my.leas (line of lock.leas)");
        assertThatThrownBy(() -> resolved("lock.lease", "1s").get(URL))
                .hasMessageStartingWith("my.jdbc.url is not set; ");
    }

    @Test
    void errorOfAProvider_aboutAResolvedSetting_saysTheFrameworksNameAndOrigin() {
        Settings settings = resolved("lock.jdbc.url", "x:hidden");

        assertThat(settings.invalid(URL, "x:****", "a URL"))
                .hasMessage("my.jdbc.url=x:**** (line of lock.jdbc.url) is not allowed; expected a URL");
        assertThat(settings.withOrigin(URL)).isEqualTo("my.jdbc.url (line of lock.jdbc.url)");
        assertThat(settings.withOrigin(USERNAME)).isEqualTo("my.jdbc.username (not set)");
    }

    @Test
    void effectiveSettings_ofAFramework_haveTheirKeysAndTheFrameworksOrigins() {
        assertThat(resolved("lock.lease", "5s").effective(List.of()))
                .contains(new EffectiveSetting("lock.lease", "5s", "line of lock.lease"));
    }

    private static Settings resolved(String key, String value) {
        Properties properties = new Properties();
        properties.setProperty(key, value);
        return Sources.resolved(properties, NAMES, KEYS);
    }
}
