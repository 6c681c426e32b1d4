package io.glyphgate.proxy.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Checks that what was written is the inside of one object, each member with a name of its own. For a stream of many such: names that
 * came before are known by their bytes, so that checking them again allocates nothing.
 */
public final class MemberCheck {
    private final Set<String> taken;
    private final JsonSpans spans = new JsonSpans();
    private final List<Known> known = new ArrayList<>();
    private int round;

    private static final class Known {
        private final byte[] bytes;
        private final String name;
        private int round;

        Known(byte[] bytes, String name) {
            this.bytes = bytes;
            this.name = name;
        }
    }

    /**
     * A check.
     *
     * @param taken names that no member may have
     */
    public MemberCheck(Set<String> taken) {
        this.taken = taken;
    }

    /**
     * Checks.
     *
     * @throws IllegalStateException if it is not the inside of an object; the message says what is wrong
     */
    public void check(JsonOut written) {
        byte[] bytes = written.buffer();
        int length = written.length();
        spans.reset(bytes, length);
        round++;
        try {
            for (int at = 0; at < length; ) {
                int nameEnd = bytes[at] == '"' ? spans.skipString(at) : at;
                take(bytes, at, nameEnd);
                at = spans.skipValue(spans.expect(nameEnd, ':'));
                if (at < length) {
                    at = spans.expect(at, ',');
                }
            }
        } catch (MalformedJsonException e) {
            throw new IllegalStateException("a field needs exactly one whole value: " + e.getMessage(), e);
        }
    }

    private void take(byte[] bytes, int from, int to) throws MalformedJsonException {
        for (int i = 0; i < known.size(); i++) {
            Known member = known.get(i);
            if (member.round != round && Arrays.equals(bytes, from, to, member.bytes, 0, member.bytes.length)) {
                refuseTwice(member.name);
                member.round = round;
                return;
            }
        }
        String name = to == from ? "" : spans.string(from, to);
        if (name.isEmpty() || taken.contains(name)) {
            throw refused(name);
        }
        refuseTwice(name);
        Known member = new Known(Arrays.copyOfRange(bytes, from, to), name);
        member.round = round;
        known.add(member);
    }

    /** A name may be written in more than one way. */
    private void refuseTwice(String name) {
        for (int i = 0; i < known.size(); i++) {
            Known member = known.get(i);
            if (member.round == round && member.name.equals(name)) {
                throw refused(name);
            }
        }
    }

    private static IllegalStateException refused(String name) {
        return new IllegalStateException("the field '" + name + "' was written twice, or is another's, or has no name");
    }
}
