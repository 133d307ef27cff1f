package dev.holdfast.lock.composite;

import dev.holdfast.lock.RegimeEvent;
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

    void failover(RegimeEvent event) {
        log.info("namespace {}, epoch {}: {}", namespace, event.epoch(), sentence(event));
    }

    private String sentence(RegimeEvent event) {
        String after = event.after().toMillis() + " ms";
        return switch (event.kind()) {
            case PRIMARY_SUSPECTED ->
                primary + " has not answered this process for " + after + " (" + event.cause()
                        + "); it is drained if a majority of the processes reports the same";
            case PRIMARY_DEPOSED ->
                primary + " is drained after " + after + " in power: " + event.cause() + "; no store grants until its "
                        + "leases are transferred or have lapsed, " + event.carriedOver() + " leases of this process";
            case FALLBACK_GRANTS ->
                fallback + " grants, after " + after + " in which no store granted; " + event.carriedOver()
                        + " leases of this process were transferred (" + event.cause() + ")";
            case RETURNING ->
                "failback begins: the grants of " + fallback + " since " + after + " are being copied to " + primary
                        + ", with " + event.carriedOver() + " leases of this process";
            case PRIMARY_GRANTS ->
                primary + " grants, after " + after + " in which no store granted; " + event.carriedOver()
                        + " leases of this process are being transferred";
        };
    }
}
