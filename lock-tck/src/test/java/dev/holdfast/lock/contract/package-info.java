/** Tests that the modules of stores extend, on the kit's processes and proxies. Tests that need no kit are in lock-api. */
@NullMarked
package dev.holdfast.lock.contract;

import org.jspecify.annotations.NullMarked;
