package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.Random;
import java.util.function.Consumer;

/** Faults in what surrounds the engine; the simulation must detect each. */
enum Mutant {
    COUNTS_FROM_THE_REPLY("P1|P2") {
        @Override
        SimulatedProcess process(VirtualTime time, SimulatedStore store, Network network, Random random) {
            return new SimulatedProcess(time, store, network, random) {
                @Override
                void call(
                        StoreExecutor.Lane lane, LockCommand command, Duration timeout, Consumer<StoreReply> callback) {
                    super.call(lane, command, timeout, reply -> callback.accept(new StoreReply(now(), reply.reply())));
                }
            };
        }
    },
    SLOW_CLOCK("P1") {
        @Override
        SimulatedProcess process(VirtualTime time, SimulatedStore store, Network network, Random random) {
            return new SimulatedProcess(time, store, network, random, 0.8);
        }
    },
    SILENCE_IS_BUSY("P6") {
        @Override
        SimulatedProcess process(VirtualTime time, SimulatedStore store, Network network, Random random) {
            return new SimulatedProcess(time, store, network, random) {
                @Override
                void call(
                        StoreExecutor.Lane lane, LockCommand command, Duration timeout, Consumer<StoreReply> callback) {
                    super.call(
                            lane,
                            command,
                            timeout,
                            reply -> callback.accept(new StoreReply(reply.sent(), lie(command, reply.reply()))));
                }

                private static LockReply lie(LockCommand command, LockReply reply) {
                    return command instanceof LockCommand.Acquire && reply instanceof LockReply.Unavailable
                            ? new LockReply.Busy(Duration.ofMillis(50))
                            : reply;
                }
            };
        }
    },
    /** One timer of four never fires. */
    DEAF_TIMERS("P1|close|liveness") {
        @Override
        SimulatedProcess process(VirtualTime time, SimulatedStore store, Network network, Random random) {
            return new SimulatedProcess(time, store, network, random) {
                @Override
                Timers.Timer after(Duration delay, Runnable task) {
                    return random.nextInt(4) == 0 ? () -> {} : super.after(delay, task);
                }
            };
        }
    };

    private final String breaks;

    Mutant(String breaks) {
        this.breaks = breaks;
    }

    /** A regular expression of promises; the mutant breaks at least one. */
    String breaks() {
        return breaks;
    }

    abstract SimulatedProcess process(VirtualTime time, SimulatedStore store, Network network, Random random);
}
