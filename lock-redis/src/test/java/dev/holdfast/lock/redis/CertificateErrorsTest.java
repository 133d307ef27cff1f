package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.OpeningAssertions.keepsQuiet;
import static dev.holdfast.lock.redis.OpeningAssertions.opening;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.testserver.Certificates;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers and trust stores that show no certificate, or the wrong one. */
@Tag("first-build")
class CertificateErrorsTest {

    @TempDir
    static Path directory;

    private static Certificates certificates;

    @BeforeAll
    static void make() {
        certificates = new Certificates(directory);
    }

    @Test
    void open_withUntrustedOrForeignCertificate_isConfigurationError() throws IOException {
        String[] trusting = trust(certificates.trustStore(), Certificates.PASSWORD);
        try (RedisServer right = RedisServer.own(certificates.rightHost());
                RedisServer wrong = RedisServer.own(certificates.wrongHost())) {
            TestStores.store(right.uri(), trusting).close();
            for (String uri : new String[] {right.uri(), right.uri().replace("rediss", "rediss-cluster")}) {
                opening(uri)
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining(": unable to find valid certification path")
                        .message()
                        .doesNotContain("no answer in TLS");
            }
            opening(right.uri(), trust(certificates.strangersTrustStore(), Certificates.PASSWORD))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("unable to find valid certification path");
            opening(wrong.uri(), trusting)
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("127.0.0.1 found");
        }
    }

    @Test
    void open_whenOnlyOneSideUsesTls_saysThatFirst() {
        try (RedisServer tls = RedisServer.own(certificates.rightHost())) {
            for (String kind : new String[] {"redis", "redis-cluster"}) {
                opening(kind + "://127.0.0.1:" + tls.port(), "lock.redis.timeout", "1s")
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageStartingWith(
                                "cannot open " + kind + "://127.0.0.1:" + tls.port()
                                        + ": no answer without TLS; if the server uses TLS at this port, the URI begins with rediss");
            }
        }
        int plain = RedisServer.shared().port();
        for (String kind : new String[] {"rediss", "rediss-cluster"}) {
            opening(kind + "://127.0.0.1:" + plain, "lock.redis.timeout", "1s")
                    .hasMessageStartingWith(
                            "cannot open " + kind + "://127.0.0.1:" + plain
                                    + ": no answer in TLS; if the server does not use TLS at this port, the URI begins with redis,");
        }
        for (String kind : new String[] {"redis", "rediss"}) {
            opening(kind + "://127.0.0.1:1").message().doesNotContain("TLS");
        }
    }

    @Test
    void open_withTrustStoreWithoutCertificates_isConfigurationError() throws IOException {
        Path other = Files.writeString(directory.resolve("other"), "this is no store of certificates");
        String uri = "rediss://127.0.0.1:1";
        opening(uri, trust(certificates.trustStore(), "secret")).satisfies(CertificateErrorsTest::namesTheTrustStore);
        opening(uri, "lock.redis.trust-store", certificates.trustStore().toString())
                .satisfies(CertificateErrorsTest::namesTheTrustStore)
                .hasMessageContaining("trust-store-password");
        for (Path wrong : new Path[] {other, directory, directory.resolve("none")}) {
            opening(uri, trust(wrong, "secret")).satisfies(CertificateErrorsTest::namesTheTrustStore);
        }
        opening("redis://127.0.0.1:1", trust(certificates.trustStore(), Certificates.PASSWORD))
                .satisfies(CertificateErrorsTest::namesTheTrustStore)
                .hasMessageContaining("rediss");
    }

    private static void namesTheTrustStore(Throwable failure) {
        assertThat(failure)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.redis.trust-store");
        keepsQuiet(failure);
    }

    private static String[] trust(Path file, String password) {
        return new String[] {"lock.redis.trust-store", file.toString(), "lock.redis.trust-store-password", password};
    }
}
