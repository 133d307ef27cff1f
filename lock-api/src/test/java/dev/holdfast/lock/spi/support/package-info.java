/** The thread that tells, through whatever befalls it. */
package dev.holdfast.lock.spi.support;
