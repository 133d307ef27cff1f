package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.failover.PrimaryTerm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The beginnings of the keys of one shard. They are encoded once: encoding them for each command would take most of the time
 * that a command takes in this process.
 */
final class ShardKeys {

    private final byte[] lock;
    private final byte[] reservation;
    private final byte[] tombstone;
    private final byte[] token;
    private final byte[] queue;
    private final byte[] seen;
    private final byte[] owners;
    private final byte[] ends;
    private final byte[] shares;
    private final byte[] term;
    private final boolean isUnderTerm;

    /** @param prefix of all keys of the shard, with its hash tag in braces */
    ShardKeys(String prefix, Optional<PrimaryTerm> primaryTerm) {
        String start = prefix + primaryTerm.map(each -> each.epoch() + ":").orElse("");
        lock = ScriptValues.text(start + "lock:");
        reservation = ScriptValues.text(start + "reservation:");
        tombstone = ScriptValues.text(start + "tombstone:");
        token = ScriptValues.text(start + "token");
        queue = ScriptValues.text(start + "queue:");
        seen = ScriptValues.text(start + "seen:");
        owners = ScriptValues.text(start + "owners:");
        ends = ScriptValues.text(start + "ends:");
        shares = ScriptValues.text(start + "shares:");
        term = ScriptValues.text(prefix + "term");
        isUnderTerm = primaryTerm.isPresent();
    }

    /** The last token of a standalone store. */
    byte[] token() {
        return token;
    }

    /** What holds the last token: under a primary term, its record. */
    byte[] counter() {
        return isUnderTerm ? term : token;
    }

    /** The record of a composite's primary term. */
    byte[] term() {
        return term;
    }

    /** The keys of a lock, in the order of keys.lua. */
    List<byte[]> keys(byte[] name, byte[] id) {
        return List.of(
                key(lock, name),
                key(reservation, name),
                tombstone(id, name),
                counter(),
                key(queue, name),
                key(seen, name),
                key(owners, name),
                term);
    }

    /** The keys of a lock of which shares may be out, in the order of share_keys.lua. */
    List<byte[]> withShares(byte[] name, byte[] id) {
        List<byte[]> all = new ArrayList<>(keys(name, id));
        all.add(key(ends, name));
        all.add(key(shares, name));
        return all;
    }

    byte[] lock(byte[] name) {
        return key(lock, name);
    }

    byte[] reservation(byte[] name) {
        return key(reservation, name);
    }

    byte[] queue(byte[] name) {
        return key(queue, name);
    }

    byte[] tombstone(byte[] id, byte[] name) {
        byte[] key = Arrays.copyOf(tombstone, tombstone.length + id.length + 1 + name.length);
        System.arraycopy(id, 0, key, tombstone.length, id.length);
        key[tombstone.length + id.length] = ':';
        System.arraycopy(name, 0, key, tombstone.length + id.length + 1, name.length);
        return key;
    }

    private static byte[] key(byte[] start, byte[] name) {
        byte[] key = Arrays.copyOf(start, start.length + name.length);
        System.arraycopy(name, 0, key, start.length, name.length);
        return key;
    }
}
