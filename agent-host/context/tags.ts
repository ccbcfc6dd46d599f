/** All tags that mark host text. Persisted: never renamed. Outside text that looks like one is escaped. */
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
	"server_prompt",
	"plugins",
	"apps",
	"hook_context",
	"hook_prompt",
	"budget",
	"goal",
	"user_instructions",
	"folder_instructions",
	"environment_context",
	"editor_context",
	"user_edits",
	"user_shell_command",
	"subagent_notification",
	"agent_role",
	"agent_roles",
	"image_omitted",
	"turn_aborted",
	"turn_retried",
	"side_question",
	"commit_request",
	"compaction_request",
	"compacted_intent",
	"history_bridge",
	"compacted_context",
] as const;

export type Tag = (typeof TAGS)[number];

const NAMES: ReadonlySet<string> = new Set(TAGS);
const LONGEST_NAME = Math.max(...TAGS.map(({ length }) => length));

/** Characters that a reader cannot see, so that a tag containing them still looks like that tag. */
const UNSEEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}]+/u;
const BLANK = "[\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}]*";
/** Letters of a name; the last two are an s and a k when case does not count. */
const LETTERS = "[A-Za-z0-9_\u017F\u212A]+";

/** The plain angle bracket and its lookalikes. */
const BRACKETS: Readonly<Record<string, string>> = { "<": "lt", "\uFF1C": "#xFF1C", "\uFE64": "#xFE64" };
const BY_NAME = new Map([["amp", "&"], ...Object.entries(BRACKETS).map(([bracket, name]) => [name, bracket] as const)]);

/** A bracket and the word behind it. One pattern of all names with what may stand between their letters takes far longer to compile. */
const OPENED = new RegExp(`[<\uFF1C\uFE64](?=${BLANK}(?:/${BLANK})?(${LETTERS}(?:${UNSEEN.source}${LETTERS})*))`, "gu");
const ENTITY = /&(?:amp|lt|#xFF1C|#xFE64);/g;

/**
 * Leaves outside text as it is, except that nothing in it looks like one of our tags: the angle bracket of such a tag
 * becomes an entity, and so does every ampersand that would read as that entity. Exactly reversible.
 */
export function escapeMarkers(text: string): string {
	return text
		.replaceAll(ENTITY, (entity) => `&amp;${entity.slice(1)}`)
		.replaceAll(OPENED, (bracket, word: string) => (looksLikeTag(word) ? `&${BRACKETS[bracket]};` : bracket));
}

/** Whether a word looks like a tag, or like one followed by something unseen. */
function looksLikeTag(word: string): boolean {
	let name = "";
	for (const part of word.split(UNSEEN)) {
		// Upper case first, as where a pattern compares without case: it makes an s of the long s.
		name += part.toUpperCase().toLowerCase();
		if (NAMES.has(name)) return true;
		if (name.length > LONGEST_NAME) return false;
	}
	return false;
}

export function unescapeMarkers(text: string): string {
	return text.replaceAll(ENTITY, (entity) => BY_NAME.get(entity.slice(1, -1)) ?? entity);
}
