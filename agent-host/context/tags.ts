/** Every tag that marks words of the host. Persisted: never renamed. Text from outside that looks like one is escaped. */
export const TAGS = [
	"model_switch",
	"permissions",
	"network_rules",
	"approved_prefixes",
	"collaboration_mode",
	"realtime_conversation",
	"personality",
	"skills",
	"skill",
	"plugins",
	"apps",
	"hook_context",
	"hook_prompt",
	"budget",
	"user_instructions",
	"environment_context",
	"editor_context",
	"user_edits",
	"user_shell_command",
	"subagent_notification",
	"image_omitted",
	"turn_aborted",
	"compaction_request",
	"compacted_intent",
	"history_bridge",
	"compacted_context",
] as const;

export type Tag = (typeof TAGS)[number];

const MARKER = new RegExp(`<(?=\\s*(?:/\\s*)?(?:${TAGS.join("|")})\\b)`, "gi");

/**
 * Text from outside stays as it is, but none of it looks like one of our tags: the angle bracket of such a tag is written
 * as an entity, and so is every ampersand that would read as that entity. Exactly reversible.
 */
export function escapeMarkers(text: string): string {
	return text.replaceAll(/&(?=(?:amp|lt);)/g, "&amp;").replaceAll(MARKER, "&lt;");
}

export function unescapeMarkers(text: string): string {
	return text.replaceAll(/&(amp|lt);/g, (_, name) => (name === "lt" ? "<" : "&"));
}
