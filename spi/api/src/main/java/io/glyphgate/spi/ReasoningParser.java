package io.glyphgate.spi;

/**
 * Splits the reasoning of one choice from what follows it. Calls only {@link DeltaSink#reasoning}, {@link
 * DeltaSink#content}, {@link DeltaSink#structure}, {@link DeltaSink#addedContent} and {@link DeltaSink#anomaly}; what it gives
 * to the first three, joined in order, is its input, character by character.
 *
 * @since 1.0
 */
public interface ReasoningParser extends ChoiceParser {}
