/** Every tag that marks words of the host. Persisted: never renamed. Text from outside that looks like one is escaped. */
export const TAGS = [
	"model_switch",
	"permissions",
	"network_rules",
	"approved_prefixes",
	"collaboration_mode",
	"realtime_conversation",
	"personality",
	"reasoning_effort",
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

/** What a reader sees nothing of, so that a tag with such characters in it is still that tag to them. */
const UNSEEN = "[\\p{Cc}\\p{Default_Ignorable_Code_Point}]*";
const BLANK = "[\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}]*";
const NAMES = TAGS.map((tag) => [...tag].join(UNSEEN)).join("|");

/** The plain angle bracket and those that are drawn like it. */
const BRACKETS: Readonly<Record<string, string>> = { "<": "lt", "\uFF1C": "#xFF1C", "\uFE64": "#xFE64" };
const BY_NAME = new Map([["amp", "&"], ...Object.entries(BRACKETS).map(([bracket, name]) => [name, bracket] as const)]);

const MARKER = new RegExp(`[<\uFF1C\uFE64](?=${BLANK}(?:/${BLANK})?(?:${NAMES})(?![a-z0-9_]))`, "giu");
const ENTITY = /&(?:amp|lt|#xFF1C|#xFE64);/g;

/**
 * Text from outside stays as it is, but none of it looks like one of our tags: the angle bracket of such a tag is written
 * as an entity, and so is every ampersand that would read as that entity. Exactly reversible.
 */
export function escapeMarkers(text: string): string {
	return text
		.replaceAll(ENTITY, (entity) => `&amp;${entity.slice(1)}`)
		.replaceAll(MARKER, (bracket) => `&${BRACKETS[bracket]};`);
}

export function unescapeMarkers(text: string): string {
	return text.replaceAll(ENTITY, (entity) => BY_NAME.get(entity.slice(1, -1)) ?? entity);
}
