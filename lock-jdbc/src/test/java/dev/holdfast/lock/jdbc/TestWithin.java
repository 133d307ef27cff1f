package dev.holdfast.lock.jdbc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that depends on time. If it fails after longer than this, the machine may have stood still meanwhile, which shows
 * nothing: then it is aborted, and begun anew. What is wrong fails in time, or each time.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(TestWithinExtension.class)
public @interface TestWithin {

    long millis();
}
