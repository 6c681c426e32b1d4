package io.glyphgate.proxy.simulator;

import java.util.Map;

/**
 * A request as it came over the wire.
 *
 * @param method the method
 * @param path the path, with the query if there is one
 * @param headers the headers; names compare in any case, several of one name are joined by a comma
 * @param body the body as text; empty if there is none
 */
public record ReceivedRequest(String method, String path, Map<String, String> headers, String body) {}
