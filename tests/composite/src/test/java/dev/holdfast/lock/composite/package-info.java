/** The composite on real servers. */
package dev.holdfast.lock.composite;
