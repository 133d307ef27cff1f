package dev.holdfast.lock.composite;

import dev.holdfast.lock.RegimeEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line for each event, for people. */
final class RegimeLog {

    private static final Logger log = LoggerFactory.getLogger("dev.holdfast.lock.regime");

    private final String namespace;
    private final String primary;
    private final String fallback;

    RegimeLog(String namespace, String primary, String fallback) {
        this.namespace = namespace;
        this.primary = primary;
        this.fallback = fallback;
    }

    void happened(RegimeEvent event) {
        log.info("namespace {}, epoch {}: {}", namespace, event.epoch(), sentence(event));
    }

    private String sentence(RegimeEvent event) {
        String after = event.after().toMillis() + " ms";
        return switch (event.kind()) {
            case PRIMARY_SUSPECTED ->
                primary + " has not answered this process for " + after + " (" + event.cause()
                        + "); it is deposed if most processes say so";
            case PRIMARY_DEPOSED ->
                primary + " is deposed after " + after + ": " + event.cause() + "; nobody grants until its leases are "
                        + "carried over or over, " + event.carriedOver() + " of them are of this process";
            case FALLBACK_GRANTS ->
                fallback + " grants, after " + after + " in which nobody did; " + event.carriedOver()
                        + " leases of this process were carried over (" + event.cause() + ")";
            case RETURNING ->
                "what " + fallback + " granted in " + after + " is being copied to " + primary + ", "
                        + event.carriedOver() + " leases of this process among it";
            case PRIMARY_GRANTS ->
                primary + " grants, after " + after + " in which nobody did; " + event.carriedOver()
                        + " leases of this process are carried over";
        };
    }
}
