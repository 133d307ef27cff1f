package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.redis.script.ScriptReplies;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.exceptions.JedisDataException;

/** The meaning of the error with which a server answers a command, and what to do about it. */
final class ServerRefusals {

    private static final String NO_PERMISSION = "NOPERM";

    /** How the server names a command that the user may not use. */
    private static final Pattern FORBIDDEN_COMMAND = Pattern.compile("^NOPERM .* run the '([^']+)' command");

    /** The meanings by the code of the error. */
    private static final Map<String, String> BY_CODE = Map.ofEntries(
            Map.entry("OOM", "its memory is full, and it takes no more writes: raise maxmemory, or remove other data"),
            Map.entry(NO_PERMISSION, "the user lacks a right: lock doctor names it, and ACL SETUSER grants it"),
            Map.entry("NOAUTH", "it requires a password: set lock.redis.password"),
            Map.entry("WRONGPASS", "it does not accept the user or the password"),
            Map.entry(
                    "READONLY",
                    "it is a replica, which takes no writes: after a failover use the address of the new master, or"
                            + " redis-sentinel://, which finds it"),
            Map.entry("LOADING", "it has been started and is loading its data: wait until it has finished"),
            Map.entry(
                    "MISCONF",
                    "it cannot save its data on its disk, and takes no writes: see its log, and make room on the disk"),
            Map.entry("NOREPLICAS", "fewer replicas follow it than min-replicas-to-write demands: see why they do not"),
            Map.entry("MASTERDOWN", "it is a replica that has lost its master: see why the master is down"),
            Map.entry("CLUSTERDOWN", "the Cluster is down or does not cover all slots: see CLUSTER INFO"),
            Map.entry("BUSY", "a client's script blocks it: end it with SCRIPT KILL"),
            Map.entry(
                    "DENIED",
                    "it is in protected mode, in which it takes connections of its own machine only: set a password there"));

    /** The meanings by the beginning of the error, for errors without a specific code. */
    private static final Map<String, String> BY_BEGINNING = new LinkedHashMap<>();

    static {
        BY_BEGINNING.put(
                "ERR max number of clients",
                "it has as many connections as maxclients allows: raise that, or close others");
        BY_BEGINNING.put("ERR DB index", "it has no database of the number at the end of lock.redis.uri");
        BY_BEGINNING.put("ERR unknown command", "it does not have this command, or its name was changed");
    }

    private ServerRefusals() {}

    /** The meaning of an error, and what to do; empty for an unknown error, and for a failure that is not a server's answer. */
    static Optional<String> meaning(Throwable failure) {
        if (!(failure instanceof JedisDataException)) {
            return Optional.empty();
        }
        String message = String.valueOf(failure.getMessage());
        Matcher forbidden = FORBIDDEN_COMMAND.matcher(message);
        if (forbidden.find()) {
            return Optional.of("the user lacks a right: ACL SETUSER with +" + forbidden.group(1) + " grants it");
        }
        return Optional.ofNullable(BY_CODE.get(ScriptReplies.errorCode(failure)))
                .or(() -> BY_BEGINNING.entrySet().stream()
                        .filter(each -> message.startsWith(each.getKey()))
                        .map(Map.Entry::getValue)
                        .findFirst());
    }
}
