package io.glyphgate.jinja.value;

/** Python's None. */
public enum None {
    /** The only one. */
    NONE
}
