package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Random commands of few ids on few names, so that most of them are repeated, late or reordered, and a model of the replies
 * that the contract demands. No lease ends meanwhile: other rules check what depends on time.
 */
final class RandomCommands {

    private static final int NAMES = 3;
    private static final int IDS_PER_NAME = 4;
    private static final int SHOWN = 12;

    private final long seed;
    private final Random random;
    private final List<Model> models = new ArrayList<>();
    private final Deque<String> latest = new ArrayDeque<>();

    RandomCommands(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        for (int i = 0; i < NAMES; i++) {
            models.add(new Model(new LockName("schedule " + i + " of " + seed)));
        }
    }

    /** Executes single commands and small batches, and compares the replies with the model. */
    void check(StoreClient client, int batches) {
        for (int i = 0; i < batches; i++) {
            List<Model> about = new ArrayList<>();
            List<LockCommand> commands = new ArrayList<>();
            for (int left = random.nextInt(4) == 0 ? 4 : 1; left > 0; left--) {
                Model model = models.get(random.nextInt(NAMES));
                about.add(model);
                commands.add(model.anyStep(random));
            }
            List<LockReply> replies = client.executeAll(commands);
            for (int at = 0; at < commands.size(); at++) {
                show(commands.get(at), replies.get(at));
                String wrong = about.get(at).wrong(commands.get(at), replies.get(at));
                if (wrong != null) {
                    throw new RuleBroken(
                            wrong + "; seed " + seed + ", the latest commands:\n    " + String.join("\n    ", latest));
                }
            }
        }
    }

    private void show(LockCommand command, LockReply reply) {
        if (latest.size() == SHOWN) {
            latest.removeFirst();
        }
        latest.addLast(command + " -> " + reply);
    }

    /** The model of one name. */
    private static final class Model {
        private final LockName name;
        private final List<AcquisitionId> ids = new ArrayList<>();
        private final Set<AcquisitionId> remembered = new HashSet<>();
        private final Set<AcquisitionId> releasedForGood = new HashSet<>();
        private @Nullable AcquisitionId holder;
        private long lastToken;

        Model(LockName name) {
            this.name = name;
            for (int i = 0; i < IDS_PER_NAME; i++) {
                ids.add(Kit.id());
            }
        }

        LockCommand anyStep(Random random) {
            AcquisitionId id = ids.get(random.nextInt(IDS_PER_NAME));
            return switch (random.nextInt(4)) {
                case 0 -> new LockCommand.Renew(name, id, Kit.LONG);
                case 1 -> release(id, random);
                default -> StoreClient.acquiring(name, id, Kit.LONG);
            };
        }

        /** Replaces the id now and then, so that there are always new ones. */
        private LockCommand release(AcquisitionId id, Random random) {
            if (random.nextInt(6) == 0) {
                ids.set(ids.indexOf(id), Kit.id());
            }
            Duration tombstone = random.nextBoolean() ? Kit.LONG : Duration.ZERO;
            return new LockCommand.Release(name, id, Duration.ZERO, tombstone);
        }

        /** What is wrong with the reply; null if nothing is. */
        @Nullable
        String wrong(LockCommand command, LockReply reply) {
            if (command instanceof LockCommand.Acquire acquire) {
                return wrongAcquire(acquire.id(), reply);
            } else if (command instanceof LockCommand.Renew renew) {
                return wrongRenew(renew.id(), reply);
            } else {
                return wrongRelease((LockCommand.Release) command, reply);
            }
        }

        private @Nullable String wrongAcquire(AcquisitionId id, LockReply reply) {
            if (id.equals(holder)) {
                return sameGrant(reply);
            } else if (reply instanceof LockReply.Gone) {
                boolean over = remembered.contains(id) || releasedForGood.contains(id);
                return over ? null : "the id never held the lock and was never released, so it must not be Gone";
            } else if (remembered.contains(id)) {
                return "the id was released with a tombstone, so it must be Gone";
            } else if (holder != null) {
                return reply instanceof LockReply.Busy ? null : "another id holds the lock, so it must be Busy";
            } else if (!(reply instanceof LockReply.Granted granted)) {
                return "the lock is free, so it must be Granted";
            } else if (granted.token() <= lastToken) {
                return "a new grant must have a token greater than " + lastToken;
            } else {
                holder = id;
                lastToken = granted.token();
                return null;
            }
        }

        private @Nullable String wrongRenew(AcquisitionId id, LockReply reply) {
            if (id.equals(holder)) {
                return sameGrant(reply);
            }
            return reply instanceof LockReply.Gone
                    ? null
                    : "the id does not hold the lock, so its renewal must be Gone";
        }

        private @Nullable String sameGrant(LockReply reply) {
            boolean same = reply instanceof LockReply.Granted granted && granted.token() == lastToken;
            return same ? null : "the id holds the lock, so it must be Granted with token " + lastToken;
        }

        private @Nullable String wrongRelease(LockCommand.Release command, LockReply reply) {
            boolean held = command.id().equals(holder);
            if (!new LockReply.Released(held).equals(reply)) {
                return "the id " + (held ? "holds" : "does not hold")
                        + " the lock, so it must be Released with wasHeld = " + held;
            }
            if (held) {
                holder = null;
                releasedForGood.add(command.id());
            }
            if (!command.tombstone().isZero()) {
                remembered.add(command.id());
            }
            return null;
        }
    }
}
