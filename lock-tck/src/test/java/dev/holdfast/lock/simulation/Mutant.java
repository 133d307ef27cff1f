package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.Random;
import java.util.function.Consumer;

/** What the engine does wrong where its surroundings are wrong; the simulation must see each. */
enum Mutant {
    COUNTS_FROM_THE_REPLY("P1|P2") {
        @Override
        SimulatedProcess process(VirtualTime time, SimulatedStore store, Network network, Random random) {
            return new SimulatedProcess(time, store, network, random) {
                @Override
                void call(StoreExecutor.Lane lane, LockCommand command, Duration timeout, Consumer<StoreResponse> to) {
                    super.call(lane, command, timeout, reply -> to.accept(new StoreResponse(now(), reply.reply())));
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
                void call(StoreExecutor.Lane lane, LockCommand command, Duration timeout, Consumer<StoreResponse> to) {
                    super.call(
                            lane,
                            command,
                            timeout,
                            reply -> to.accept(new StoreResponse(reply.sent(), lie(command, reply.reply()))));
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

    /** The promises of which one is broken at least, as a regular expression. */
    String breaks() {
        return breaks;
    }

    abstract SimulatedProcess process(VirtualTime time, SimulatedStore store, Network network, Random random);
}
