package dev.holdfast.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://h:1/d?user=u&password=a;b%26&ssl=true | jdbc:postgresql://h:1/d?user=u&password=****&ssl=true",
                "jdbc:x://h/d?sslPassword=s | jdbc:x://h/d?sslPassword=****",
                "jdbc:x:a;Password=s;b=c | jdbc:x:a;Password=****",
                "redis://u:s@h:1/0 | redis://u:****@h:1/0",
                "redis://:s/e:c@h | redis://:****@h",
                "redis://u:s@s@h | redis://u:****@h",
                "redis://u:s?e c@h:1 | redis://u:****@h:1",
                "redis-sentinel://u:s@h:1,k:2/m/0 | redis-sentinel://u:****@h:1,k:2/m/0",
                "jdbc:mysql://u:s@h:1,v:t@k:2/d | jdbc:mysql://u:****@k:2/d",
                "https://s@h/p | https://****@h/p",
                "https://h/p?apikey=s | https://h/p?apikey=****",
                "jdbc:postgresql://h/d?user=u | jdbc:postgresql://h/d?user=u",
                "jdbc:postgresql://h:1,k:2/d?user=u&ssl=true | jdbc:postgresql://h:1,k:2/d?user=u&ssl=true",
                "redis-cluster://[::1]:6379,k | redis-cluster://[::1]:6379,k",
                "jdbc:sqlite:/tmp/a@b.db | jdbc:sqlite:/tmp/a@b.db",
                "30s | 30s",
            })
    void redactUrl_withSecrets_masksThemAndShowsTheRest(String url, String shown) {
        assertThat(Redactor.redactUrl(url)).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({
        "cannot reach redis://u:s@h and http://u:t@k/?a=b, cannot reach redis://u:****@h and http://u:****@k/?a=b",
        "cannot reach redis://u:s e@h (http://k/), cannot reach redis://u:****@h (http://k/)",
        "jdbcUrl=jdbc:x://h/d?password=s e&ssl=on, jdbcUrl=jdbc:x://h/d?password=****&ssl=on",
        "jdbc:x://h/d?password=****: refused, jdbc:x://h/d?password=****: refused",
        "no /d?password=s e, no /d?password=****",
        "no answer from redis://h:1: refused (h:1), no answer from redis://h:1: refused (h:1)",
        "redis://h:1 refused: NOAUTH, redis://h:1 refused: NOAUTH",
        "no answer from redis://u:s: refused, no answer from redis://u:****",
        "'FATAL: no entry for user \"u\", (auth=md5)', 'FATAL: no entry for user \"u\", (auth=md5)'",
        "'', ''",
    })
    void redact_textWithUrls_masksTheirSecrets(String text, String shown) {
        assertThat(Redactor.redact(text)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hidden",
                "a hidden",
                "a\thidden b hidden",
                "a\nhidden",
                "a\r\nhidden",
                "'hidden",
                "\"a\" hidden",
                "a;hidden",
                "a,hidden",
                "a(hidden)",
                "a/hidden",
                "a:hidden",
                "a@hidden",
                "a?hidden",
                "a#hidden",
                "a&hidden",
                "a=hidden",
                "a\\hidden",
                "a%hidden",
                "100% hidden",
                "p://hidden",
                "a http://hidden",
                "\u00e4\ud83d\ude00hidden",
                "****hidden",
            })
    void redactUrl_withAnyCharacterInThePassword_showsNothingOfIt(String password) {
        for (String each : List.of(password, URLEncoder.encode(password, StandardCharsets.UTF_8))) {
            for (String url : List.of(
                    "jdbc:postgresql://h:1,k:2/d?user=u&password=" + each,
                    "jdbc:postgresql://h/d?password=" + each + "&ssl=true",
                    "jdbc:postgresql://h/d?user=u&sslpassword=" + each + "&password=" + each,
                    "jdbc:postgresql://h/d?user=u& PassWord = " + each,
                    "jdbc:postgresql://h/d?user=u&p%61ssword%3D" + each,
                    "jdbc:postgresql://u:" + each + "@h:5432/d?user=u",
                    "jdbc:mysql://address=(host=h)(password=" + each + ")/d",
                    "jdbc:sqlserver://h:1433;user=u;password=" + each + ";encrypt=true",
                    "jdbc:oracle:thin:u/" + each + "@//h:1/s",
                    "jdbc:h2:tcp://h/d;PASSWORD=" + each,
                    "redis://u:" + each + "@h:1/0",
                    "rediss-sentinel://:" + each + "@h:1,k:2/m/0",
                    "redis-cluster://u:" + each + "@[::1]:1,k",
                    "password=" + each)) {
                assertThat(Redactor.redactUrl(url)).doesNotContain("hidden").contains(Redactor.MASK);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://h/d?user=u&pw=hidden",
                "jdbc:postgresql://h/d?user=u pw=hidden",
                "jdbc:postgresql://h/d?options=-c%20app.pin=hidden",
                "jdbc:postgresql://h/d?ssl=true&pin=hidden",
                "jdbc:mysql://address=(host=h)(port=1)(pin=hidden)/d",
                "jdbc:h2:tcp://h/d;INIT=SET PIN hidden",
                "jdbc:sqlserver://h:1433;user=u;jaas=hidden;encrypt=true",
                "https://h/p?sig=hidden",
                "https://h/p?sv=2024-11-04&sig=hidden&se=hidden",
                "https://h/p#code=hidden",
                "redis://h:1/0?pin=1&2&hidden",
                "jdbc:x://h/d?on=truehidden",
            })
    void redactUrl_withAParameterThatIsNotKnown_masksItsValue(String url) {
        assertThat(Redactor.redactUrl(url)).doesNotContain("hidden").contains(Redactor.MASK);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://h:1,k/d?user=u&sslmode=verify-full&currentSchema=app&connectTimeout=3",
                "jdbc:mysql://h/d?useSSL=false&serverTimezone=UTC&cachePrepStmts=true",
                "jdbc:mariadb://address=(host=h)(port=1)(type=primary)/d",
                "jdbc:h2:/tmp/d;MODE=PostgreSQL;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=500",
                "jdbc:sqlite:/tmp/a=b.db?busy_timeout=100",
                "jdbc:x://h/d?aSwitchOfADriver=true&another=off",
            })
    void redactUrl_withHarmlessParameters_showsThem(String url) {
        assertThat(Redactor.redactUrl(url)).isEqualTo(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://u:hidden",
                "redis://:hidden/0",
                "redis://u:1hidden",
                "redis://u:hidden phrase",
                "redis://u:1: hidden"
            })
    void redactUrl_withoutAHost_masksThePassword(String url) {
        assertThat(Redactor.redactUrl(url)).doesNotContain("hidden").contains(Redactor.MASK);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "url=redis://u:hidden@host",
                "lock.redis.uri=redis://u:hidden@host from y",
                "url=redis://h:1/0 url=redis://u:hidden@host",
                "url:redis://u:hidden@host",
                "value=redis://:hidden@host",
                ">redis://u:hidden@host<",
                "x|redis://u:hidden@host",
                "x|redis://u:a hidden@host",
                "redis://h:1/0 x|redis://u:hidden@host",
                "url:jdbc:oracle:thin:u/hidden@h:1:s",
                " redis://u:hidden@host",
                "\"redis://u:hidden@host\"",
                "//u:hidden@host",
                "redis://u:jdbc:oracle:hidden/a@host",
                "redis://host?x=1#password=hidden",
                "redis://host?x=1 password=hidden",
                "redis://host#password=hidden",
                "password=hidden",
                "lock.redis.password=hidden",
                "lock.redis.password = hidden",
                "the settings were password=hidden",
                "jdbc:mysql://address=(host=h)(password=hidden)/d",
            })
    void redact_withAnyTextBeforeThePassword_masksIt(String text) {
        assertThat(Redactor.redact(text)).doesNotContain("hidden").contains(Redactor.MASK);
        assertThat(Redactor.redactUrl(text)).doesNotContain("hidden").contains(Redactor.MASK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"%", "%4", "% ", "a%", "//", "?x", "=", "a:", ";", "jdbc:"})
    void redact_ofALongRepetitiveText_masksThePassword(String part) {
        String text = "jdbc:x://h/d?password=hidden&y=1&" + part.repeat(10_000) + "&password=hidden";

        assertThat(Redactor.redact(text)).doesNotContain("hidden");
        assertThat(Redactor.redactUrl(text)).doesNotContain("hidden");
    }
}
