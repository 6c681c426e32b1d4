/** The doors for chats and completions: makes generate requests of them, and their answers of what the choices hold. */
@NullMarked
package io.glyphgate.proxy.openai;

import org.jspecify.annotations.NullMarked;
