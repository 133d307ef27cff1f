package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * One reason for which a server refuses commands.
 *
 * @param word by which the server says so
 * @param sparesHolders whether leases are renewed and released meanwhile
 * @param directives of the server's configuration
 * @param settings of the application's
 * @param beginning makes the server refuse
 * @param end makes it obey again
 */
record ServerRefusal(
        String word,
        boolean sparesHolders,
        List<String> directives,
        List<String> settings,
        Order beginning,
        Order end) {

    private static final List<String> USER = List.of("lock.redis.username", "u", "lock.redis.password", "secret");
    private static final List<String> USERS = List.of("user u on >secret ~* &* +@all");

    /** An administrative action. */
    interface Order {
        void carryOut(RedisClient admin) throws Exception;
    }

    static Stream<ServerRefusal> all() {
        return Stream.of(
                refusal("READONLY", command("REPLICAOF", "127.0.0.1", "1"), command("REPLICAOF", "NO", "ONE")),
                refusal("NOREPLICAS", set("min-replicas-to-write", "1"), set("min-replicas-to-write", "0")),
                refusal("MISCONF", ServerRefusal::failToSave, set("stop-writes-on-bgsave-error", "no")),
                new ServerRefusal("OOM", true, List.of(), List.of(), set("maxmemory", "1"), set("maxmemory", "0")),
                new ServerRefusal(
                        "BUSY",
                        false,
                        List.of("lua-time-limit 100"),
                        List.of(),
                        ServerRefusal::runForEver,
                        command("SCRIPT", "KILL")),
                refusal(
                        "NOAUTH",
                        all(set("requirepass", "new"), command("CLIENT", "KILL", "TYPE", "normal")),
                        set("requirepass", "")),
                new ServerRefusal(
                        "WRONGPASS",
                        false,
                        USERS,
                        USER,
                        all(
                                command("ACL", "SETUSER", "u", "resetpass", ">other"),
                                command("CLIENT", "KILL", "USER", "u")),
                        command("ACL", "SETUSER", "u", ">secret")),
                new ServerRefusal(
                        "NOPERM",
                        false,
                        USERS,
                        USER,
                        command("ACL", "SETUSER", "u", "-evalsha"),
                        command("ACL", "SETUSER", "u", "+evalsha")),
                new ServerRefusal(
                        "ERR ", // a command in a script: each server says it in other words
                        false,
                        USERS,
                        USER,
                        command("ACL", "SETUSER", "u", "-mget"),
                        command("ACL", "SETUSER", "u", "+mget")));
    }

    private static ServerRefusal refusal(String word, Order beginning, Order end) {
        return new ServerRefusal(word, false, List.of(), List.of(), beginning, end);
    }

    private static Order all(Order... orders) {
        return admin -> {
            for (Order each : orders) {
                each.carryOut(admin);
            }
        };
    }

    private static Order set(String directive, String value) {
        return command("CONFIG", "SET", directive, value);
    }

    private static Order command(String name, String... arguments) {
        return admin -> Administrator.order(admin, name, arguments);
    }

    /** Puts a directory in the place of the dump file. */
    private static void failToSave(RedisClient admin) throws Exception {
        Path file = Path.of(admin.configGet("dir").get("dir"), "dump.rdb");
        Files.createDirectories(file.resolve("in the way"));
        set("save", "3600 1000").carryOut(admin);
        command("BGSAVE").carryOut(admin);
        Await.until("saving has failed", () -> admin.info("persistence").contains("rdb_last_bgsave_status:err"));
    }

    private static void runForEver(RedisClient admin) {
        Thread thread = new Thread(() -> {
            try {
                admin.eval("while true do end");
            } catch (JedisDataException e) {
                // ended by SCRIPT KILL
            }
        });
        thread.setDaemon(true);
        thread.start();
        Await.until("the server is busy", () -> isBusy(admin));
    }

    private static boolean isBusy(RedisClient admin) {
        try {
            admin.ping();
            return false;
        } catch (JedisDataException e) {
            return e.getMessage().startsWith("BUSY");
        }
    }

    @Override
    public String toString() {
        return word;
    }
}
