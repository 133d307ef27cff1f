/** The page "From zero to a lock in Kotlin". */
package dev.holdfast.lock.documents

import java.nio.file.Path
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class FirstLockTest {

    @Test
    fun program_onThePage_printsWhatThePageSays() {
        val process = ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Dlock.provider=memory",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.holdfast.lock.documents.start.FirstLockKt",
        ).redirectError(ProcessBuilder.Redirect.INHERIT).start()

        assertThat(process.inputReader().readText()).isEqualTo("the report is ours: HELD\n")
        assertThat(process.waitFor()).isZero()
    }
}
