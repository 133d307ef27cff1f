package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Encodes commands as script calls, and decodes the replies. */
public final class CommandCodec {

    /** When a busy lock is worth another request without a place in its queue: soon, as leases may be short. */
    private static final Duration SOON = Duration.ofMillis(20);

    private final KeyLayout keys;
    private final byte[] channels;
    private final byte[] channel;

    /** @param channel of this store, on which its waiters are notified */
    public CommandCodec(KeyLayout keys, String channel) {
        this.keys = keys;
        this.channels = bytes(keys.channels());
        this.channel = bytes(channel);
    }

    public KeyLayout keys() {
        return keys;
    }

    /**
     * The calls for these commands. Renewals in one shard without another command between them share a call, and so do a release
     * and the acquire of the same lock that follows it.
     */
    public CommandBatch encode(List<LockCommand> commands) {
        CommandBatch batch = new CommandBatch(commands.size());
        Map<ShardKeys, RenewalBatch> renewals = new LinkedHashMap<>();
        for (int at = 0; at < commands.size(); at++) {
            LockCommand command = commands.get(at);
            byte[] name = bytes(command.name().value());
            ShardKeys shard = keys.shardOf(name);
            if (command instanceof LockCommand.Renew renew) {
                RenewalBatch ofShard = renewals.computeIfAbsent(shard, RenewalBatch::new);
                ofShard.add(renew, name, at);
                if (ofShard.isFull()) {
                    batch.add(ofShard.call(keys), ofShard.commands());
                    renewals.remove(shard);
                }
            } else {
                flush(renewals, batch);
                if (at + 1 < commands.size() && HandoffScript.canCarry(command, commands.get(at + 1))) {
                    LockCommand.Acquire acquire = (LockCommand.Acquire) commands.get(at + 1);
                    batch.add(handoff((LockCommand.Release) command, acquire, shard, name), List.of(at, at + 1));
                    at++;
                } else {
                    batch.add(call(command, shard, name), List.of(at));
                }
            }
        }
        flush(renewals, batch);
        return batch;
    }

    private void flush(Map<ShardKeys, RenewalBatch> renewals, CommandBatch batch) {
        renewals.values().forEach(each -> batch.add(each.call(keys), each.commands()));
        renewals.clear();
    }

    private ScriptCall call(LockCommand command, ShardKeys shard, byte[] name) {
        byte[] id = bytes(command.id().toString());
        List<byte[]> lockKeys = shard.keys(name, id);
        if (command instanceof LockCommand.Acquire acquire) {
            return keys.call(Script.ACQUIRE, 1, lockKeys, arguments(acquire, id, name));
        }
        LockCommand.Release release = (LockCommand.Release) command;
        byte[] tombstone = number(ScriptLimits.millis(release.tombstone()));
        return keys.call(Script.RELEASE, 1, lockKeys, List.of(id, minimumHold(release), tombstone, channels, name));
    }

    private ScriptCall handoff(LockCommand.Release release, LockCommand.Acquire acquire, ShardKeys shard, byte[] name) {
        byte[] id = bytes(acquire.id().toString());
        List<byte[]> arguments = new ArrayList<>(arguments(acquire, id, name));
        arguments.add(bytes(release.id().toString()));
        arguments.add(minimumHold(release));
        return keys.call(Script.HANDOFF, 1, shard.keys(name, id), arguments);
    }

    private List<byte[]> arguments(LockCommand.Acquire acquire, byte[] id, byte[] name) {
        return List.of(
                id,
                number(ScriptLimits.millis(acquire.lease())),
                number(acquire.queue() ? 1 : 0),
                number(acquire.tokenFloor()),
                bytes(ScriptLimits.owner(acquire.owner())),
                channel,
                channels,
                name);
    }

    private static byte[] minimumHold(LockCommand.Release release) {
        return number(ScriptLimits.micros(release.minimumHold()));
    }

    /**
     * Decodes the reply to a command.
     *
     * @throws IllegalStateException if none of our scripts answers so
     */
    public static LockReply decode(LockCommand command, Object reply) {
        if (command instanceof LockCommand.Renew && reply instanceof byte[] renewed) {
            return renewed(command, text(renewed));
        }
        if (!(reply instanceof List<?> words) || words.isEmpty()) {
            throw unknown(command, reply);
        }
        return switch (text(words.get(0))) {
            case "granted" -> new LockReply.Granted(Long.parseLong(text(words.get(1))), millis(words.get(2)));
            case "queued" ->
                new LockReply.Queued(QueueTimes.retryAfter(millis(words.get(1)), ((Long) words.get(2)).intValue()));
            case "busy" -> new LockReply.Busy(soon(millis(words.get(1))));
            case "gone" -> new LockReply.Gone();
            case "released" -> new LockReply.Released(true);
            case "absent" -> new LockReply.Released(false);
            case "exhausted" ->
                unavailable("no token is left above " + text(words.get(1)) + " for the lock " + command.name()
                        + ": tokens end at " + text(words.get(2)));
            case "composite" ->
                unavailable("a composite grants the locks of this namespace, the lock " + command.name()
                        + " among them: use lock.provider=composite, or another lock.namespace");
            default -> throw unknown(command, reply);
        };
    }

    private static LockReply renewed(LockCommand command, String words) {
        if (words.equals("gone")) {
            return new LockReply.Gone();
        }
        int space = words.indexOf(' ');
        if (space < 0) {
            throw unknown(command, words);
        }
        return new LockReply.Granted(
                Long.parseLong(words, 0, space, 10),
                Duration.ofMillis(Long.parseLong(words, space + 1, words.length(), 10)));
    }

    private static LockReply unavailable(String message) {
        return new LockReply.Unavailable(new LockUnavailableException(message, null));
    }

    private static IllegalStateException unknown(LockCommand command, Object reply) {
        return new IllegalStateException("the server answered " + command + " with " + reply);
    }

    private static Duration soon(Duration left) {
        return left.isNegative() || left.compareTo(SOON) > 0 ? SOON : left;
    }

    private static Duration millis(Object number) {
        return Duration.ofMillis((Long) number);
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.UTF_8);
    }

    private static byte[] number(long number) {
        return bytes(Long.toString(number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
