package io.glyphgate.jinja.value;

import io.glyphgate.jinja.TemplateException;
import java.util.function.Supplier;

/**
 * A value that is not there. It prints as nothing, is empty and false; everything else that is done with it fails. Most are
 * only asked whether they are there, so the words are put together when they are needed.
 */
public final class Undefined {
    private final Supplier<String> reason;

    private Undefined(Supplier<String> reason) {
        this.reason = reason;
    }

    /** A name that nothing defines. */
    public static Undefined name(String name) {
        return new Undefined(() -> "'" + name + "' is undefined");
    }

    /** A value that is missing for a reason of its own. */
    public static Undefined because(String reason) {
        return new Undefined(() -> reason);
    }

    /** An attribute or item that an object lacks. */
    public static Undefined member(Object object, Object key) {
        return new Undefined(() -> Types.isText(key)
                ? "'" + Types.longName(object) + "' has no attribute " + Repr.brief(key)
                : Types.longName(object) + " has no element " + Repr.brief(key));
    }

    /** An attribute that exists, but that a template may not touch. */
    public static Undefined unsafe(Object object, String attribute) {
        return new Undefined(() -> "access to attribute " + Repr.brief(attribute) + " of '" + Types.name(object)
                + "' object is unsafe.");
    }

    /** The failure of whatever was done with it. */
    public TemplateException failure() {
        return new TemplateException(reason.get());
    }
}
