package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.exceptions.JedisDataException;

class RedisErrorsTest {

    private static final String WHERE = "redis://127.0.0.1";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    LOADING Redis is loading the dataset in memory                 | is loading its data
                    MISCONF Redis is configured to save RDB snapshots              | make room on the disk
                    MASTERDOWN Link with MASTER is down                            | why the master is down
                    CLUSTERDOWN Hash slot not served                               | CLUSTER INFO
                    BUSY Redis is busy running a script                            | SCRIPT KILL
                    DENIED Redis is running in protected mode                      | set a password there
                    NOAUTH Authentication required.                                | set lock.redis.password
                    ERR max number of clients reached                              | maxclients
                    ERR Error running script (call to f): @user_script:3: -OOM full | its memory is full
                    """)
    void unavailable_errorOfTheServer_isARefusalWithItsMeaningFirstAndItsWords(String error, String meaning) {
        assertThat(RedisErrors.unavailable(WHERE, new JedisDataException(error)).getMessage())
                .matches("(?s)\\Q" + WHERE + " refused: \\E.*\\Q" + meaning + "\\E.* \\(\\Q"
                        + error.replaceFirst("\\.$", "") + "\\E\\)");
    }

    @ParameterizedTest
    @CsvSource({"EXOTIC this is new", "ERR something else"})
    void unavailable_errorThatIsNotKnown_isARefusalInTheServersWords(String error) {
        assertThat(RedisErrors.unavailable(WHERE, new JedisDataException(error)))
                .hasMessage(WHERE + " refused: " + error);
    }
}
