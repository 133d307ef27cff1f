package dev.holdfast.lock.redis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A server that encrypts is let down by the wrong certificate, and by nothing else. */
class CertificatesTest {

    @TempDir
    private static Path directory;

    private static Certificates certificates;

    @BeforeAll
    static void make() {
        certificates = new Certificates(directory);
    }

    @Test
    void aClientThatTrustsTheRightCertificateIsConnected() {
        try (RedisServer server = RedisServer.own(certificates.rightHost());
                RedisClient client = client(server, certificates.trustStore(), SslVerifyMode.FULL);
                RedisClient ofTheTest = server.client()) {
            assertThat(server.uri()).startsWith("rediss://");
            assertThat(client.ping()).isEqualTo("PONG");
            assertThat(ofTheTest.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void aClientThatTrustsAStrangerIsNotConnected() {
        try (RedisServer server = RedisServer.own(certificates.rightHost());
                RedisClient client = client(server, certificates.strangersTrustStore(), SslVerifyMode.FULL)) {
            assertThatThrownBy(client::ping)
                    .isInstanceOf(JedisConnectionException.class)
                    .hasStackTraceContaining("unable to find valid certification path");
        }
    }

    @Test
    void theCertificateOfAnotherHostIsRefusedForItsHostOnly() {
        try (RedisServer server = RedisServer.own(certificates.wrongHost());
                RedisClient careful = client(server, certificates.trustStore(), SslVerifyMode.FULL);
                RedisClient careless = client(server, certificates.trustStore(), SslVerifyMode.CA)) {
            assertThatThrownBy(careful::ping)
                    .isInstanceOf(JedisConnectionException.class)
                    .hasStackTraceContaining("127.0.0.1");
            assertThat(careless.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void aClientThatDoesNotEncryptIsNotConnected() {
        try (RedisServer server = RedisServer.own(certificates.rightHost());
                RedisClient client = RedisClient.create("127.0.0.1", server.port())) {
            assertThatThrownBy(client::ping).isInstanceOf(JedisConnectionException.class);
        }
    }

    private static RedisClient client(RedisServer server, Path trustStore, SslVerifyMode mode) {
        return RedisClient.builder()
                .hostAndPort("127.0.0.1", server.port())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .sslOptions(SslOptions.builder()
                                .truststore(trustStore.toFile(), Certificates.PASSWORD.toCharArray())
                                .trustStoreType("PKCS12")
                                .sslVerifyMode(mode)
                                .build())
                        .build())
                .build();
    }
}
