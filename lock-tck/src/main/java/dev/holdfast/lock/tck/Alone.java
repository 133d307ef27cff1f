package dev.holdfast.lock.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test that does something to the store that no other test would bear. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Alone {}
