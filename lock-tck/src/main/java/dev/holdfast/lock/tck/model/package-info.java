/**
 * The model of one lock and the search that explains a recorded history by it. Calls no store and reads no clock: histories come
 * in as data.
 */
@NullMarked
package dev.holdfast.lock.tck.model;

import org.jspecify.annotations.NullMarked;
