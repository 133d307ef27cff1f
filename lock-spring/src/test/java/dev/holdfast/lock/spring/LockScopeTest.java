package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The end of a call that holds several leases. */
class LockScopeTest {

    private final AtomicInteger closed = new AtomicInteger();

    /** Such as a lack of memory. */
    @Test
    void close_ofWhichOneLeaseThrowsAnError_closesTheOthers() {
        List<LockHold> holds = List.of(failing(), failing());
        LockScope scope = new LockScope(null, List.of(), holds, null, false, null);
        assertThatThrownBy(scope::close).isInstanceOf(OutOfMemoryError.class);
        assertThat(closed).hasValue(2);
    }

    private LockHold failing() {
        Lease lease = (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, arguments) -> {
                    closed.incrementAndGet();
                    throw new OutOfMemoryError("on purpose");
                });
        return new LockHold(
                (Locks) Proxy.newProxyInstance(
                        Locks.class.getClassLoader(), new Class<?>[] {Locks.class}, (proxy, method, arguments) -> {
                            throw new AssertionError(method);
                        }),
                lease,
                Share.EXCLUSIVE);
    }
}
