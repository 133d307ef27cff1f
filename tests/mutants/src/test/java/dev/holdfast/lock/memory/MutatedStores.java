package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Mutants with wrong names, batches, outages or resources. */
final class MutatedStores {

    private static final Duration SOON = Duration.ofMillis(5);

    private MutatedStores() {}

    static LockStore foldsCase(LockStore store) {
        return naming(store, name -> name.toLowerCase(Locale.ROOT));
    }

    static LockStore trimsNames(LockStore store) {
        return naming(store, name -> name.stripTrailing().isEmpty() ? name : name.stripTrailing());
    }

    static LockStore normalizesNames(LockStore store) {
        return naming(store, name -> Normalizer.normalize(name, Normalizer.Form.NFC));
    }

    static LockStore cutsLongNames(LockStore store) {
        return naming(
                store,
                name -> name.substring(
                        0, name.offsetByCodePoints(0, Math.min(254, name.codePointCount(0, name.length())))));
    }

    static LockStore failsOnQuotes(LockStore store) {
        return naming(store, name -> {
            if (name.contains("'")) {
                throw new IllegalStateException("syntax error near '");
            }
            return name;
        });
    }

    private static LockStore naming(LockStore store, UnaryOperator<String> rule) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(
                        commands.stream().map(command -> renamed(command, rule)).toList(), timeout);
            }
        };
    }

    static LockCommand renamed(LockCommand command, UnaryOperator<String> rule) {
        LockName name = new LockName(rule.apply(command.name().value()));
        if (command instanceof LockCommand.Acquire acquire) {
            return new LockCommand.Acquire(
                    name,
                    acquire.id(),
                    acquire.lease(),
                    acquire.queue(),
                    acquire.tokenFloor(),
                    acquire.owner(),
                    acquire.share());
        } else if (command instanceof LockCommand.Renew renew) {
            return new LockCommand.Renew(name, renew.id(), renew.lease(), renew.share());
        } else {
            LockCommand.Release release = (LockCommand.Release) command;
            return new LockCommand.Release(
                    name, release.id(), release.minimumHold(), release.tombstone(), release.share());
        }
    }

    static LockStore shiftsAnswers(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = new ArrayList<>(super.execute(commands, timeout));
                Collections.rotate(replies, 1);
                return replies;
            }
        };
    }

    /** Executes the acquires of a batch first. */
    static LockStore reordersBatches(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<Integer> order = IntStream.range(0, commands.size())
                        .boxed()
                        .sorted(Comparator.comparing(at -> !(commands.get(at) instanceof LockCommand.Acquire)))
                        .toList();
                List<LockReply> sorted =
                        super.execute(order.stream().map(commands::get).toList(), timeout);
                return IntStream.range(0, commands.size())
                        .mapToObj(at -> sorted.get(order.indexOf(at)))
                        .toList();
            }
        };
    }

    static <T> List<T> reversed(List<T> list) {
        List<T> reversed = new ArrayList<>(list);
        Collections.reverse(reversed);
        return reversed;
    }

    /** A failed command fails its batch. */
    static LockStore badStepHarmsBatch(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = super.execute(commands, timeout);
                return replies.stream()
                        .filter(LockReply.Unavailable.class::isInstance)
                        .findFirst()
                        .map(bad -> Collections.nCopies(commands.size(), bad))
                        .orElse(replies);
            }
        };
    }

    static LockStore smallBatchesOnly(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (commands.size() > 200) {
                    throw new IllegalStateException("too many parameters");
                }
                return super.execute(commands, timeout);
            }
        };
    }

    static LockStore outageIsBusy(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(commands, timeout).stream()
                        .map(reply -> reply instanceof LockReply.Unavailable ? new LockReply.Busy(SOON) : reply)
                        .toList();
            }
        };
    }

    /** Repeats the last reply to a renewal while the store is unreachable. */
    static LockStore answersFromMemory(LockStore store) {
        Map<AcquisitionId, LockReply> last = new ConcurrentHashMap<>();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = new ArrayList<>(super.execute(commands, timeout));
                for (int i = 0; i < replies.size(); i++) {
                    AcquisitionId id = commands.get(i).id();
                    if (replies.get(i) instanceof LockReply.Granted) {
                        last.put(id, replies.get(i));
                    } else if (replies.get(i) instanceof LockReply.Unavailable
                            && commands.get(i) instanceof LockCommand.Renew) {
                        replies.set(i, last.getOrDefault(id, replies.get(i)));
                    }
                }
                return replies;
            }
        };
    }

    static LockStore ignoresTimeout(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(commands, Duration.ofDays(1));
            }
        };
    }

    /** Never replaces a broken connection. */
    static LockStore neverRecovers(LockStore store) {
        AtomicBoolean broken = new AtomicBoolean();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (broken.get()) {
                    throw new IllegalStateException("this connection is closed");
                }
                List<LockReply> replies = super.execute(commands, timeout);
                broken.set(MemoryConnection.isBroken(replies));
                return replies;
            }
        };
    }

    /** A refused command does not give back its connection. */
    static LockStore leaksConnections(LockStore store) {
        Semaphore pool = new Semaphore(350);
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (!pool.tryAcquire()) {
                    throw new IllegalStateException("no connection is left in the pool");
                }
                List<LockReply> replies = super.execute(commands, timeout);
                if (replies.stream().noneMatch(LockReply.Busy.class::isInstance)) {
                    pool.release();
                }
                return replies;
            }
        };
    }
}
