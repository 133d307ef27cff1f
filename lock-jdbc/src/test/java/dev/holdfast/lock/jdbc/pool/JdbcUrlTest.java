package dev.holdfast.lock.jdbc.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcUrlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://u:s@h/d",
                "jdbc:postgresql://u@h/d",
                "jdbc:postgresql://u:s/x@h/d",
                "jdbc:postgresql://u:s?x@h/d?ssl=true",
                "jdbc:postgresql://u:s=x@h/d?user=a@b",
                "jdbc:postgresql://u:s\nx@h/d",
            })
    void hasUser_whenUserPrecedesTheHost_isTrue(String url) {
        assertThat(new JdbcUrl(url).hasUser()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://h:5432/d",
                "jdbc:postgresql://h:1,[::1]:2/d?user=a@b&password=c//d@e",
                "jdbc:postgresql:d?user=a@b&password=c//d@e",
                "jdbc:sqlite:/tmp/a@b.db",
            })
    void hasUser_whenUserIsAParameter_isFalse(String url) {
        assertThat(new JdbcUrl(url).hasUser()).isFalse();
    }
}
