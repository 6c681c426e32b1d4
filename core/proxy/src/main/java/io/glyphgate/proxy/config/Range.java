package io.glyphgate.proxy.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The smallest and the largest value of a number, of a {@link Size} in bytes, of a {@link Percent}, or of a duration in milliseconds. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Range {
    /** A day in milliseconds, the longest time that makes sense anywhere. */
    long DAY = 24L * 60 * 60 * 1000;

    /** The smallest value that is allowed. */
    long min();

    /** The largest value that is allowed. */
    long max();
}
