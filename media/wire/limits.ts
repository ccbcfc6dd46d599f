/**
 * How much a message of the page may hold. This file imports nothing, so that the page can use it: with the protocol, a
 * schema library would reach the page. A test compares these values with those of the host.
 */
export const MAX_PROMPT_CHARS = 1_000_000;
export const MAX_IMAGES = 8;
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** All images of one message together. */
export const MAX_IMAGES_BYTES = 10 * 1024 * 1024;
/** A note to the model beside a refusal. */
export const MAX_NOTE_CHARS = 4_000;
/** What a summary should care about most. */
export const MAX_FOCUS_CHARS = 4_000;
/** What is typed after @. */
export const MAX_QUERY_CHARS = 200;
/** Files that are dropped at once. */
export const MAX_DROPPED_FILES = 20;
/** A text that is dropped as a file without a path. */
export const MAX_DROPPED_CHARS = 20_000;
