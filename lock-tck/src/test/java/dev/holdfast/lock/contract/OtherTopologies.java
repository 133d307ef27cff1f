package dev.holdfast.lock.contract;

import dev.holdfast.lock.tck.Rule;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the kit asks of a store on one topology of its servers, and on the others in a long build only, or with
 * {@code -Dlock.test.kit=whole}.
 */
public final class OtherTopologies {

    /** Rules of one decision on one server, or of the engine alone. */
    private static final List<String> ON_ONE_SERVER = List.of(
            "P1.1", "P1.6", "P1.7", "P1.8", "P1.9", "P1.10", "P1.11", "P1.12", "P1.13", "P1.15", "P1.16", "P1.19",
            "P1.20", "P1.21", "P2.1", "P2.2", "P2.5", "P2.6", "P2.7", "P2.8", "P2.9", "P2.10", "P3.1", "P3.2", "P4.1",
            "P4.2", "P4.3", "P4.4", "P4.5", "P4.6", "P4.12", "P4.13", "P5.1", "P5.2", "P5.3", "P5.4", "P7.1", "P7.2",
            "P7.3", "P7.5", "P7.6", "P7.7", "P7.8", "P7.10", "P7.11", "P7.12", "P7.14", "P7.15", "P7.16", "P7.17",
            "P8.2", "P8.6", "P8.8", "P8.9", "P8.11", "P9.3", "P9.4", "P9.5", "P10.1", "P10.2", "P10.3", "P10.4",
            "P10.6", "I1", "I2", "I3", "I6", "I7", "M1", "M2", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S10", "S11",
            "S12");

    /** Rules whose commands are of all kinds, at random. */
    private static final Set<String> HISTORIES = Set.of("M1", "M2");

    private OtherTopologies() {}

    /** The rules that a topology has no part in, with the reason why it is not held to them: those of the list, and these. */
    public static Map<String, String> exemptions(String... more) {
        return exceptInLongBuilds(
                "the same on each topology: asked on another one, and here by a long build (-Plong)",
                Stream.concat(ON_ONE_SERVER.stream(), Stream.of(more)));
    }

    /**
     * The same but for random histories, which show that it decides as the other one, for a database that has the client and the kind of
     * statements of another one.
     */
    public static Map<String, String> exemptionsBesideAnother(String... more) {
        return exceptInLongBuilds(
                "the same client and kind of statements: asked on another server, and here by a long build (-Plong)",
                Stream.concat(ON_ONE_SERVER.stream(), Stream.of(more)).filter(rule -> !HISTORIES.contains(rule)));
    }

    /**
     * The rules about processes that contend and connections that break, for the composite: its stores are asked them, and it has tests with
     * processes that are killed and servers that fail.
     */
    public static Map<String, String> exemptionsOnTwoStores() {
        return exceptInLongBuilds(
                "asked on each of the two stores, and here by a long build (-Plong); RandomFaultsTest has processes and outages",
                Stream.of("P1.15", "P1.16", "P7.12", "M4"));
    }

    /** All rules but these, for a server whose code and database are asked the others within a process. */
    public static Map<String, String> exemptionsBut(Set<Rule> ofAServer) {
        return exceptInLongBuilds(
                "the same code and database: asked within a process, and here by a long build (-Plong)",
                EnumSet.complementOf(EnumSet.copyOf(ofAServer)).stream().map(Rule::id));
    }

    private static Map<String, String> exceptInLongBuilds(String reason, Stream<String> rules) {
        return Integer.getInteger("lock.test.scale", 1) > 1 || "whole".equals(System.getProperty("lock.test.kit"))
                ? Map.of()
                : rules.collect(Collectors.toMap(rule -> rule, rule -> reason));
    }
}
