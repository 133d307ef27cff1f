/**
 * All candidates are put through all scenarios in alternate rounds of one run, each in processes of its own, which are told line
 * by line what to do and answer with what it took.
 */
@NullMarked
package dev.holdfast.lock.bench.measure;

import org.jspecify.annotations.NullMarked;
