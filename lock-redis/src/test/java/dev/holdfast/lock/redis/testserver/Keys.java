package dev.holdfast.lock.redis.testserver;

import dev.holdfast.lock.spi.Namespace;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** The keys on a server. */
public final class Keys {

    private Keys() {}

    /** The keys of a namespace that have not expired. */
    public static Set<String> of(RedisClient client, Namespace namespace) {
        Set<String> keys = new TreeSet<>();
        ScanParams of = new ScanParams().match("holdfast:{" + namespace + ":*").count(10_000);
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> page = client.scan(cursor, of);
            keys.addAll(page.getResult());
            cursor = page.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        return keys.stream().filter(client::exists).collect(Collectors.toCollection(TreeSet::new));
    }
}
