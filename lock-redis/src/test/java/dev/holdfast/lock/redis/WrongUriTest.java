package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.OpeningAssertions.opening;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong addresses, and error messages about them, which never show secrets. */
class WrongUriTest {

    @Test
    void open_withoutUri_isRefused() {
        opening("").isInstanceOf(LockConfigurationException.class).hasMessageContaining("lock.redis.uri");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "http://localhost",
                "redis:localhost",
                "redis://",
                "redis://host:0",
                "redis://a,b",
                "redis://host/x",
                "redis-sentinel://host",
                "redis-cluster://host/1",
                "redis://secret@host"
            })
    void open_withMalformedUri_namesTheForms(String uri) {
        opening(uri)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.redis.uri")
                .hasMessageContaining("redis-sentinel://host")
                .satisfies(OpeningAssertions::keepsQuiet);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis://u:s3cret                  | redis://u:****",
                "redis://:s3cret/0                 | redis://:****",
                "redis://h/s3cret                  | redis://h/****",
                "redis://h:1/s3cret/2              | redis://h:1/****",
                "redis://u:s3cret,s3cret           | redis://u:****",
                "redis://h?auth=s3cret             | redis://h?****",
                "redis://u:pa#s3cret               | redis://u:****",
                "redis-sentinel://h1:1,u:s3cret/m  | redis-sentinel://h1:1,u:****",
                "redis-sentinel://h1:1,h2/m/s3cret | redis-sentinel://h1:1,h2/****",
                "redis-cluster://h/s3cret          | redis-cluster://h/****",
                "redis://:pa/s3cret@h              | redis://:****@h",
                "redis://u s3cret                  | redis://u ****",
            })
    void open_withMisplacedPassword_masksIt(String uri, String shown) {
        Properties configuration = new Properties();
        configuration.setProperty("lock.provider", "redis");
        configuration.setProperty("lock.redis.uri", uri);

        assertThatThrownBy(() -> Locks.open(configuration))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.redis.uri=" + shown + " (")
                .satisfies(failure -> assertThat(trace(failure)).doesNotContain("s3cret"));
    }

    private static String trace(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    @Test
    void open_unreachableServer_isUnavailableWithoutSecrets() {
        int port = 1; // where nothing listens
        for (String kind : new String[] {"redis", "redis-cluster", "redis-sentinel", "rediss"}) {
            String master = kind.equals("redis-sentinel") ? "/main" : "";
            opening(kind + "://app:secret@127.0.0.1:" + port + master)
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("://app:****@127.0.0.1:" + port)
                    .hasMessageContaining("Connection refused")
                    .satisfies(OpeningAssertions::keepsQuiet);
        }
    }

    @Test
    void open_unknownHost_isUnavailable() {
        opening("redis://nowhere.invalid")
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("nowhere.invalid");
    }

    @Test
    void open_missingDatabase_isConfigurationError() {
        opening(RedisServer.shared().uri() + "/99999")
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("DB index is out of range");
    }
}
