/** A store on ZooKeeper, as its author outside of this build would write it; nothing of Holdfast but the SPI is used here. */
@NullMarked
package dev.holdfast.samples.zookeeper;

import org.jspecify.annotations.NullMarked;
