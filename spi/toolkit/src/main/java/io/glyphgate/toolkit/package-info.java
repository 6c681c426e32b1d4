/** The parser engine: a family of parsers as a description. A plugin bundles this library; it is not part of the SPI. */
@NullMarked
package io.glyphgate.toolkit;

import org.jspecify.annotations.NullMarked;
