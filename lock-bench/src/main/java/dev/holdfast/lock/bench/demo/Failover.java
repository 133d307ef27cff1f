package dev.holdfast.lock.bench.demo;

import dev.holdfast.lock.bench.server.Redis;
import dev.holdfast.lock.bench.server.Wire;

/** What is done to Redis, step by step. */
final class Failover {

    private final Story story;
    private final Wire link;
    private final Redis master;
    private final Redis replica;
    private final Wire address;

    /**
     * @param link on which the replica hears of what the master does
     * @param address where clients find Redis
     */
    Failover(Story story, Wire link, Redis master, Redis replica, Wire address) {
        this.story = story;
        this.link = link;
        this.master = master;
        this.replica = replica;
        this.address = address;
    }

    void breakLink() {
        link.cut();
        story.fault('C', "the link is cut: from now on the replica hears nothing of the master");
    }

    void killMaster() throws InterruptedException {
        master.kill();
        story.fault('K', "the Redis master is killed (SIGKILL)");
    }

    void promoteReplica() {
        replica.promote();
        address.leadTo(replica.port());
        story.fault('P', "the replica is promoted to master, and Redis's address leads to it");
    }
}
