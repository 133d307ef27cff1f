package dev.holdfast.lock.spring.boot3.slices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.boot.HoldfastAutoConfiguration;
import dev.holdfast.lock.spring.boot.HoldfastLockedAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** The slice of the web with the locks. */
@Tag("second-build")
@WebMvcTest(properties = "holdfast.provider=memory")
@ImportAutoConfiguration({HoldfastAutoConfiguration.class, HoldfastLockedAutoConfiguration.class})
class LockedWebSliceTest {

    @Test
    void lockedMethod_ofAController_hasItsLockOrIsAnsweredWith503(@Autowired MockMvcTester web, @Autowired Locks locks)
            throws InterruptedException {
        assertThat(web.get().uri("/count")).hasStatusOk().hasBodyTextEqualTo("locked");
        try (Lease lease = locks.named("count").acquire()) {
            assertThat(web.get().uri("/count")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
            assertThat(lease.isHeld()).isTrue();
        }
    }
}
