package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.Certificates;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** Locks on the Redis that {@code spring.data.redis} names: other clients of that Redis see them. */
@Tag("second-build")
@Execution(ExecutionMode.CONCURRENT)
class ApplicationRedisTest {

    /** The machine may stand still for many seconds: that must become neither an outage nor the end of a lease. */
    private static final Map<String, String> PATIENT =
            Map.of("lease", "10m", "call-timeout", "1m", "redis.timeout", "1m");

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HoldfastAutoConfiguration.class, SslAutoConfiguration.class, DataRedisAutoConfiguration.class))
            .withPropertyValues(
                    PATIENT.entrySet().stream().map(each -> "holdfast." + each).toArray(String[]::new))
            .withPropertyValues("holdfast.provider=redis", "holdfast.namespace=boot");

    @Test
    void sentinels_ofBoot_leadToTheMaster() {
        Sentinels sentinels = Sentinels.shared();
        excludes(
                sentinels.uri(),
                "spring.data.redis.sentinel.nodes=" + nodes(sentinels.sentinels()),
                "spring.data.redis.sentinel.master=" + sentinels.uri().replaceAll(".*//[^/]*/|/.*", ""));
    }

    @Test
    void nodesOfTheClusterOfBoot_leadToTheCluster() {
        Cluster cluster = Cluster.shared();
        excludes(cluster.uri(), "spring.data.redis.cluster.nodes=" + nodes(cluster.masters()));
    }

    @Test
    void tlsOfBoot_isTlsOfTheLocks(@TempDir Path directory) {
        Certificates certificates = new Certificates(directory);
        String[] trust = {
            "holdfast.redis.trust-store=" + certificates.trustStore(),
            "holdfast.redis.trust-store-password=" + Certificates.PASSWORD
        };
        try (RedisServer server = RedisServer.own(certificates.rightHost())) {
            application
                    .withPropertyValues(trust)
                    .withPropertyValues(
                            "spring.data.redis.host=127.0.0.1",
                            "spring.data.redis.port=" + server.port(),
                            "spring.data.redis.ssl.enabled=true")
                    .run(context -> excludes(context.getBean(Locks.class)));
            application
                    .withPropertyValues(trust)
                    .withPropertyValues("spring.data.redis.url=rediss://127.0.0.1:" + server.port())
                    .run(context -> excludes(context.getBean(Locks.class)));
        }
    }

    /** On Lettuce, which Boot takes by default. */
    @Test
    void sslBundleOfBoot_withTheCertificateOfTheClient_isTlsOfTheLocks(@TempDir Path directory) {
        Certificates certificates = new Certificates(directory);
        String pem = "file:" + directory.resolve("server");
        ApplicationContextRunner withBundle = application.withPropertyValues(
                "spring.ssl.bundle.pem.shop.truststore.certificate=" + pem + ".crt",
                "spring.ssl.bundle.pem.shop.keystore.certificate=" + pem + ".crt",
                "spring.ssl.bundle.pem.shop.keystore.private-key=" + pem + ".key");
        try (RedisServer server = RedisServer.own(certificates.rightHost())) {
            requireCertificates(server, directory.resolve("server.crt"));
            String[] ofBoot = {
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + server.port(),
                "spring.data.redis.ssl.bundle=shop"
            };
            withBundle.withPropertyValues(ofBoot).run(context -> {
                assertThat(context).hasSingleBean(LettuceConnectionFactory.class);
                excludes(context.getBean(Locks.class));
                // at the same time
                withBundle.withPropertyValues(ofBoot).run(other -> excludes(other.getBean(Locks.class)));
            });
            withBundle
                    .withPropertyValues(
                            "holdfast.redis.uri=rediss://127.0.0.1:" + server.port(), "holdfast.redis.ssl-bundle=shop")
                    .run(context -> excludes(context.getBean(Locks.class)));
            withBundle
                    .withPropertyValues(
                            "holdfast.redis.uri=rediss://127.0.0.1:" + server.port(), "holdfast.redis.ssl-bundle=depot")
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasStackTraceContaining(
                                    "holdfast.redis.ssl-bundle=depot (\"holdfast.redis.ssl-bundle\" from"
                                            + " property source \"test\") is not an SSL bundle of the application"));
        }
    }

    private static void requireCertificates(RedisServer server, Path trusted) {
        try (Jedis administrator = new Jedis(new HostAndPort("127.0.0.1", server.port()), server.clientConfig())) {
            administrator.configSet("tls-ca-cert-file", trusted.toString());
            administrator.configSet("tls-auth-clients", "yes");
        }
    }

    private void excludes(String uri, String... properties) {
        Properties others = new Properties();
        PATIENT.forEach((key, value) -> others.setProperty("lock." + key, value));
        others.setProperty("lock.provider", "redis");
        others.setProperty("lock.redis.uri", uri);
        others.setProperty("lock.namespace", "boot");
        application.withPropertyValues(properties).run(context -> {
            try (Locks locks = Locks.openResolved(others);
                    Lease lease = context.getBean(Locks.class).named(uri).acquire()) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(locks.named(uri).tryAcquire()).isEmpty();
            }
        });
    }

    private static void excludes(Locks locks) throws InterruptedException {
        try (Lease lease = locks.named("tls").acquire()) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(locks.named("tls").tryAcquire()).isEmpty();
        }
    }

    private static String nodes(List<RedisServer> servers) {
        return servers.stream().map(server -> "127.0.0.1:" + server.port()).collect(Collectors.joining(","));
    }
}
