package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.client.RedisUri.Topology;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.HostAndPort;

/** Parsing of URIs. */
class RedisUriTest {

    @Test
    void of_standaloneUri_isParsed() {
        RedisUri uri = RedisUri.of("redis://host/3");

        assertThat(uri.topology()).isEqualTo(Topology.STANDALONE);
        assertThat(uri.hosts()).containsExactly(new HostAndPort("host", 6379));
        assertThat(uri.database()).isEqualTo(3);
        assertThat(uri.isTls()).isFalse();
        assertThat(uri.username()).isEmpty();
        assertThat(uri.password()).isEmpty();
    }

    @Test
    void of_sentinelUri_isParsed() {
        RedisUri uri = RedisUri.of("rediss-sentinel://a,b:1/main/2");

        assertThat(uri.topology()).isEqualTo(Topology.SENTINEL);
        assertThat(uri.hosts()).containsExactly(new HostAndPort("a", 26_379), new HostAndPort("b", 1));
        assertThat(uri.master()).isEqualTo("main");
        assertThat(uri.database()).isEqualTo(2);
        assertThat(uri.isTls()).isTrue();
    }

    @Test
    void of_clusterUri_isParsed() {
        RedisUri uri = RedisUri.of("redis-cluster://a:7000,b:7001");

        assertThat(uri.topology()).isEqualTo(Topology.CLUSTER);
        assertThat(uri.hosts()).containsExactly(new HostAndPort("a", 7000), new HostAndPort("b", 7001));
    }

    @Test
    void of_ipv6Uri_isParsed() {
        assertThat(RedisUri.of("redis://[2001:db8::1]:7000").hosts())
                .containsExactly(new HostAndPort("2001:db8::1", 7000));
        assertThat(RedisUri.of("redis://[::1]").hosts()).containsExactly(new HostAndPort("::1", 6379));
    }

    @Test
    void of_encodedPassword_isDecoded() {
        RedisUri uri = RedisUri.of("redis://an%40pp:p%3A%2F%40%25+ss@host");

        assertThat(uri.username()).contains("an@pp");
        assertThat(uri.password()).contains("p:/@%+ss");
        assertThat(RedisUri.of("redis://:a:b@host").password()).contains("a:b");
        assertThat(RedisUri.of("redis://:a@b@host").password()).contains("a@b");
    }

    @ParameterizedTest
    @CsvSource({
        "redis://app:hush@host/1, redis://app:****@host/1",
        "redis://:hush@host, redis://:****@host",
        "'rediss-sentinel://app:hush@a,b:1/main', 'rediss-sentinel://app:****@a,b:1/main'",
        "redis://:hu@sh@host, redis://:****@host",
    })
    void toString_withPassword_isMasked(String text, String printed) {
        assertThat(RedisUri.of(text)).hasToString(printed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "host                        | none of the forms",
                "redis//host                 | none of the forms",
                "redis://                    | none of the forms",
                "redis://host?db=1           | none of the forms",
                "redis://user@host           | before the @",
                "redis://user:@host          | before the @",
                "redis://:pa/ss@host         | / is %2F",
                "redis://:pa?ss@host         | ? is %3F",
                "redis://:pa ss@host         | percent-encode",
                "redis-sentinel://u:1/m@host | / is %2F",
                "redis://:50%off@host        | % before the @ is written %25",
                "redis://ho st               | 'ho ****' is neither a host",
                "redis://::1                 | ':****' is neither a host",
                "redis://user:hush           | 'user:****' is neither a host",
                "redis://host:65536          | 1 to 65535",
                "redis://host:0              | 1 to 65535",
                "redis://a,b                 | several hosts",
                "redis://host/one            | a database is a number",
                "redis://host/1/2            | too much after the hosts",
                "redis-cluster://host/1      | too much after the hosts",
                "redis-sentinel://host       | the name of their master",
                "redis-sentinel://host/m/1/2 | too much after the hosts",
                "redis-sentinel://a,/m       | '' is neither a host",
            })
    void of_malformedUri_isRefusedWithReason(String text, String why) {
        assertThatThrownBy(() -> RedisUri.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why)
                .hasMessageNotContaining("hush")
                .hasNoCause();
    }
}
