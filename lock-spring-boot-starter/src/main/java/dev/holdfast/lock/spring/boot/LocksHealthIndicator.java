package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.boot.internal.LocksHealth;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** {@link LocksHealth} for Boot 4. */
final class LocksHealthIndicator extends AbstractHealthIndicator {

    private final LocksHealth locks;

    LocksHealthIndicator(LocksHealth locks) {
        super("the health of the locks cannot be determined");
        this.locks = locks;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        LocksHealth.Result result = locks.check();
        builder.status(result.status()).withDetails(result.details());
    }
}
