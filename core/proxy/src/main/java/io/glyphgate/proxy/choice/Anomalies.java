package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.spi.ParserProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The anomalies of one choice, each once however often it comes: an output that goes wrong at every token costs no more than
 * one that goes wrong once.
 */
public final class Anomalies {
    /** Stands for a kind that is not written as kinds are, and for all kinds beyond the most that are kept. */
    public static final String OTHER = "other";

    private static final int MOST = 32;
    private static final int LONGEST = 40;

    private final List<Anomaly> found = new ArrayList<>();

    /** What was found, in the order in which it first came. */
    public List<Anomaly> found() {
        return Collections.unmodifiableList(found);
    }

    void add(PluginKind parserKind, ParserProvider parser, HostAnomaly anomaly) {
        add(parserKind, parser, anomaly.kind());
    }

    /** Takes note of a kind that a parser told, which may be anything. */
    void add(PluginKind parserKind, ParserProvider parser, String kind) {
        if (holds(parserKind, kind)) {
            return;
        }
        String known = found.size() < MOST && isKind(kind) ? kind : OTHER;
        if (!holds(parserKind, known)) {
            found.add(new Anomaly(parserKind, parser.name(), known));
        }
    }

    /** No choice has two parsers of one kind. */
    private boolean holds(PluginKind parserKind, String kind) {
        for (int i = 0; i < found.size(); i++) {
            if (found.get(i).parserKind() == parserKind && found.get(i).kind().equals(kind)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isKind(String kind) {
        if (kind.isEmpty() || kind.length() > LONGEST) {
            return false;
        }
        for (int i = 0; i < kind.length(); i++) {
            char c = kind.charAt(i);
            if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
                return false;
            }
        }
        return true;
    }
}
