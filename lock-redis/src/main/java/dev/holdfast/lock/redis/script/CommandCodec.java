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
    private final byte[] channel;

    /** @param channel of this store, on which its waiters are notified */
    public CommandCodec(KeyLayout keys, String channel) {
        this.keys = keys;
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
        if (commands.size() == 1 && !(commands.get(0) instanceof LockCommand.Renew)) {
            byte[] name = bytes(commands.get(0).name().value());
            batch.add(call(commands.get(0), keys.shardOf(name), name), List.of(0));
            return batch;
        }
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
            return keys.call(Script.ACQUIRE, 1, lockKeys, arguments(acquire, id));
        }
        LockCommand.Release release = (LockCommand.Release) command;
        byte[] tombstone = number(ScriptLimits.millis(release.tombstone()));
        return keys.call(Script.RELEASE, 1, lockKeys, List.of(id, minimumHold(release), tombstone));
    }

    private ScriptCall handoff(LockCommand.Release release, LockCommand.Acquire acquire, ShardKeys shard, byte[] name) {
        byte[] id = bytes(acquire.id().toString());
        List<byte[]> arguments = new ArrayList<>(arguments(acquire, id));
        arguments.add(bytes(release.id().toString()));
        arguments.add(minimumHold(release));
        return keys.call(Script.HANDOFF, 1, shard.keys(name, id), arguments);
    }

    private List<byte[]> arguments(LockCommand.Acquire acquire, byte[] id) {
        return List.of(
                id,
                number(ScriptLimits.millis(acquire.lease())),
                number(acquire.queue() ? 1 : 0),
                number(acquire.tokenFloor()),
                bytes(ScriptLimits.owner(acquire.owner())),
                channel);
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
        if (!(reply instanceof byte[] bytes)) {
            throw unknown(command, reply);
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        int space = text.indexOf(' ');
        String rest = text.substring(space + 1);
        return switch (space < 0 ? text : text.substring(0, space)) {
            case "granted" -> granted(rest);
            case "queued" -> queued(rest);
            case "busy" -> new LockReply.Busy(soon(millis(rest, 0, rest.indexOf(' '))));
            case "gone" -> new LockReply.Gone();
            case "released" -> new LockReply.Released(true);
            case "absent" -> new LockReply.Released(false);
            case "exhausted" -> exhausted(command, rest);
            case "composite" ->
                unavailable("a composite grants the locks of this namespace, the lock " + command.name()
                        + " among them: use lock.provider=composite, or another lock.namespace");
            default -> throw unknown(command, text);
        };
    }

    /** {@code <token> <ms left>} */
    private static LockReply granted(String words) {
        int space = words.indexOf(' ');
        return new LockReply.Granted(Long.parseLong(words, 0, space, 10), millis(words, space + 1, words.length()));
    }

    /** {@code <ms left> <waiters ahead>} */
    private static LockReply queued(String words) {
        int space = words.indexOf(' ');
        return new LockReply.Queued(
                QueueTimes.retryAfter(millis(words, 0, space), Integer.parseInt(words, space + 1, words.length(), 10)));
    }

    /** {@code <last token> <where tokens end>} */
    private static LockReply exhausted(LockCommand command, String words) {
        int space = words.indexOf(' ');
        return unavailable("no token is left above " + words.substring(0, space) + " for the lock " + command.name()
                + ": tokens end at " + words.substring(space + 1));
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

    private static Duration millis(String words, int from, int to) {
        return Duration.ofMillis(Long.parseLong(words, from, to, 10));
    }

    private static byte[] number(long number) {
        return bytes(Long.toString(number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
