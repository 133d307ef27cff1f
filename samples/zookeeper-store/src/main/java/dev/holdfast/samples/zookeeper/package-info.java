/** A store on ZooKeeper, as an author outside this project would write it; of Holdfast it uses only the SPI. */
@NullMarked
package dev.holdfast.samples.zookeeper;

import org.jspecify.annotations.NullMarked;
