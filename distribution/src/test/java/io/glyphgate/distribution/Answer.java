package io.glyphgate.distribution;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a server answered.
 *
 * @param status its status
 * @param contentType its content type
 * @param body its body: JSON, or events that hold some
 */
record Answer(int status, String contentType, String body) {
    /** All string values of a field, in the order of the body, joined. They must hold no escaped quotes. */
    String all(String field) {
        return Pattern.compile("\"" + field + "\":\\s*\"([^\"]*)\"")
                .matcher(body)
                .results()
                .map(value -> value.group(1))
                .collect(Collectors.joining());
    }
}
