/** Makes a prompt of messages, with the chat template of a model. */
@NullMarked
package io.glyphgate.proxy.render;

import org.jspecify.annotations.NullMarked;
