/**
 * How much the user can send at once. This file imports nothing, so that the page can use it: with the rest of the
 * protocol, a schema library would reach the page.
 */
/** A longer text belongs in a file that the agent can read in pieces. */
export const MAX_PROMPT_CHARS = 1_000_000;
export const MAX_IMAGES = 8;
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** All images of one message together: as base64 they fit into a single message to the host. */
export const MAX_IMAGES_BYTES = 10 * 1024 * 1024;
/** A note to the model beside a refusal. */
export const MAX_NOTE_CHARS = 4_000;
/** What a summary should care about most. */
export const MAX_FOCUS_CHARS = 4_000;
/** What is typed after @. */
export const MAX_QUERY_CHARS = 200;
/** An answer in the user's own words. */
export const MAX_ANSWER_CHARS = 4_000;
/** One line of instructions that the user adds. */
export const MAX_REMEMBERED_CHARS = 1_000;
/** A goal; a longer one belongs in a file that it names. */
export const MAX_GOAL_CHARS = 4_000;
/** A side question. */
export const MAX_ASIDE_CHARS = 20_000;
