package dev.holdfast.lock.composite;

import dev.holdfast.lock.FailoverEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs one line for each step of a failover, for operators. */
final class FailoverLog {

    private static final Logger log = LoggerFactory.getLogger("dev.holdfast.lock.failover");

    private final String namespace;
    private final String primary;
    private final String fallback;

    FailoverLog(String namespace, String primary, String fallback) {
        this.namespace = namespace;
        this.primary = primary;
        this.fallback = fallback;
    }

    void failover(FailoverEvent event) {
        log.info("namespace {}, epoch {}: {}", namespace, event.epoch(), sentence(event));
    }

    private String sentence(FailoverEvent event) {
        String after = event.after().toMillis() + " ms";
        return switch (event.kind()) {
            case PRIMARY_SUSPECTED ->
                primary + " has not answered this process for " + after + " (" + event.cause()
                        + "); it is drained if a majority of the processes reports the same";
            case PRIMARY_DRAINING ->
                primary + " is drained after " + after + " in power: " + event.cause() + "; no store grants until its "
                        + "leases are transferred or have lapsed, " + event.transferredLeases()
                        + " leases of this process";
            case FALLBACK_ACTIVE ->
                fallback + " grants, after " + after + " in which no store granted; " + event.transferredLeases()
                        + " leases of this process were transferred (" + event.cause() + ")";
            case FAILING_BACK ->
                "failback begins: the grants of " + fallback + " since " + after + " are being copied to " + primary
                        + ", with " + event.transferredLeases() + " leases of this process";
            case PRIMARY_ACTIVE ->
                primary + " grants, after " + after + " in which no store granted; " + event.transferredLeases()
                        + " leases of this process are being transferred";
        };
    }
}
