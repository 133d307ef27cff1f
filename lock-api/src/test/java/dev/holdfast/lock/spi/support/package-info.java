/** Tests of what store authors share: notifications survive errors of their source. */
package dev.holdfast.lock.spi.support;
