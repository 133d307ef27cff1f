package dev.holdfast.lock.spring.boot3;

import dev.holdfast.lock.spring.boot.internal.LocksHealth;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** {@link LocksHealth} for Boot 3. */
final class Boot3LocksHealthIndicator extends AbstractHealthIndicator {

    private final LocksHealth locks;

    Boot3LocksHealthIndicator(LocksHealth locks) {
        super("the health of the locks cannot be determined");
        this.locks = locks;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        LocksHealth.Result result = locks.check();
        builder.status(result.status()).withDetails(result.details());
    }
}
