package io.glyphgate.jinja.syntax;

/**
 * A part of the source.
 *
 * @param line the line it starts on, from 1
 * @param start its first character
 * @param end the character after its last
 */
public record Span(int line, int start, int end) {}
