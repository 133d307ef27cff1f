/** Runs the samples as processes. */
package dev.holdfast.samples;
