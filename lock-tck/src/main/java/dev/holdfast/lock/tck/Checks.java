package dev.holdfast.lock.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** Marks the test of one rule. If the test fails, the message begins with the rule. */
@Test
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Checks {
    Rule value();

    /** Whether the test waits for many seconds: it starts first, so that other tests run meanwhile. */
    boolean slow() default false;

    /** Whether the test disturbs all others on the same store, such as by restarting it: no other test runs meanwhile. */
    boolean exclusive() default false;
}
