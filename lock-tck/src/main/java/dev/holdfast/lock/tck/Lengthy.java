package dev.holdfast.lock.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test that waits for many seconds, which others can use. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Lengthy {}
