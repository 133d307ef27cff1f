package dev.holdfast.lock.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In memory, the default of the annotation. */
@ExtendWith(LocksExtension.class)
class MemoryTestLocksTest extends TestLocksContract {

    private Locks before;

    @BeforeEach
    void takeLocks(Locks locks) {
        before = locks;
    }

    @ParameterizedTest
    @ValueSource(strings = {"first", "second"})
    void locks_ofEachTest_areItsOwn(String order, Locks locks) {
        assertThat(locks).as(order).isSameAs(before);
        assertThat(locks.named("left-held").tryAcquire()).isPresent();
    }
}
