package dev.holdfast.lock.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsing of the reply to INFO. */
class ServerInfoTest {

    @Test
    void info_ofRedis_isParsed() {
        ServerInfo info = ServerInfo.of("""
                # Server
                redis_version:7.4.1\r
                redis_mode:cluster\r
                \r
                # Memory\r
                maxmemory:0\r
                maxmemory_policy:volatile-lru\r
                # Persistence\r
                loading:0\r
                aof_enabled:1\r
                # Replication\r
                role:master\r
                connected_slaves:2\r
                master_replid:8c3f\r
                repl_backlog_active:1\r
                """);

        assertThat(info)
                .isEqualTo(new ServerInfo(
                        "Redis 7.4.1",
                        "7.4.1",
                        "cluster",
                        "master",
                        "8c3f",
                        false,
                        "volatile-lru",
                        false,
                        true,
                        2,
                        true));
        assertThat(info.keepsAll()).isFalse();
    }

    @Test
    void info_ofValkey_namesItsVersionAndComparesThatOfRedis() {
        ServerInfo info =
                ServerInfo.of("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\nrole:master\r\n");

        assertThat(info.product()).isEqualTo("Valkey 8.0.1");
        assertThat(info.isNewEnough()).isTrue();
    }

    @Test
    void info_ofACompatibleServer_namesIt() {
        ServerInfo info =
                ServerInfo.of("redis_version:7.4.0\r\ndragonfly_version:df-v1.25.4\r\nredis_mode:standalone\r\n");

        assertThat(info.product()).isEqualTo("Dragonfly df-v1.25.4");
        assertThat(info.isRedisOrValkey()).isFalse();
        assertThat(info.isNewEnough()).isTrue();
    }

    @Test
    void info_withoutAPolicy_isNoEvidenceOfEviction() {
        ServerInfo info = ServerInfo.of("redis_version:7.4.0\r\n");

        assertThat(info.mayEvict()).isFalse();
        assertThat(info.keepsAll()).isFalse();
        assertThat(info.isRedisOrValkey()).isTrue();
    }

    /** As Valkey 9.1.2 answers: the key of the mode is not that of Redis. */
    @ParameterizedTest
    @ValueSource(strings = {"standalone", "sentinel", "cluster"})
    void info_ofValkey_saysItsMode(String mode) {
        ServerInfo info = ServerInfo.of("""
                # Server\r
                redis_version:7.2.4\r
                server_name:valkey\r
                valkey_version:9.1.2\r
                valkey_release_stage:ga\r
                server_mode:%s\r
                os:Linux x86_64\r
                """.formatted(mode));

        assertThat(info.product()).isEqualTo("Valkey 9.1.2");
        assertThat(info.mode()).isEqualTo(mode);
    }

    @Test
    void info_withoutMode_saysWhetherTheServerIsOfACluster() {
        assertThat(ServerInfo.of("redis_version:7.2.4\r\ncluster_enabled:1\r\n").mode())
                .isEqualTo("cluster");
        assertThat(ServerInfo.of("redis_version:7.2.4\r\ncluster_enabled:0\r\n").mode())
                .isEqualTo("unknown");
    }

    @ParameterizedTest
    @CsvSource({
        "6.2.0, true",
        "6.2, true",
        "6.10.1, true",
        "7.0.15, true",
        "10.0.0, true",
        "255.255.255, true",
        "6.0.16, false",
        "5.9.9, false",
        "unknown, false"
    })
    void version_ofServer_isComparedWithOldest(String version, boolean isNewEnough) {
        assertThat(ServerInfo.of("redis_version:" + version).isNewEnough()).isEqualTo(isNewEnough);
    }
}
