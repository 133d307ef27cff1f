package dev.holdfast.lock.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretsTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://h:1/d?user=u&password=a;b%26&ssl=true, jdbc:postgresql://h:1/d?user=u&password=****&ssl=true",
        "jdbc:x://h/d?sslPassword=s, jdbc:x://h/d?sslPassword=****",
        "jdbc:x:a;Password=s;b=c, jdbc:x:a;Password=****",
        "redis://u:s@h:1/0, redis://u:****@h:1/0",
        "redis://:s/e:c@h, redis://:****@h",
        "redis://u:s@s@h, redis://u:****@h",
        "redis://u:s?e c@h:1, redis://u:****@h:1",
        "https://s@h/p, https://****@h/p",
        "https://h/p?apikey=s, https://h/p?apikey=****",
        "cannot reach redis://u:s@h and http://u:t@k/?a=b, cannot reach redis://u:****@h and http://u:****@k/?a=b",
        "jdbc:postgresql://h/d?user=u, jdbc:postgresql://h/d?user=u",
        "jdbc:sqlite:/tmp/a@b.db, jdbc:sqlite:/tmp/a@b.db",
    })
    void masksWhatIsSecretInUrls(String text, String shown) {
        assertThat(Secrets.masked(text)).isEqualTo(shown);
    }
}
