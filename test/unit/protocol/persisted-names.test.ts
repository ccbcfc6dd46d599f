import assert from "node:assert/strict";
import { test } from "node:test";
import { FRAGMENTS, SECTIONS } from "../../../agent-host/context/catalog.ts";
import { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { RecordBody } from "../../../agent-host/store/records/record.ts";
import { TOOLS } from "../../../agent-host/tools/catalog.ts";

/** Fragments by kind, with the tag of each. */
const TAGS = {
	"model-switch": "model_switch",
	permissions: "permissions",
	"network-rules": "network_rules",
	"approved-prefixes": "approved_prefixes",
	"collaboration-mode": "collaboration_mode",
	realtime: "realtime_conversation",
	personality: "personality",
	skills: "skills",
	skill: "skill",
	"server-prompt": "server_prompt",
	plugins: "plugins",
	apps: "apps",
	"hook-context": "hook_context",
	"hook-prompt": "hook_prompt",
	budget: "budget",
	goal: "goal",
	"agent-role": "agent_role",
	"agent-roles": "agent_roles",
	"user-instructions": "user_instructions",
	"folder-instructions": "folder_instructions",
	environment: "environment_context",
	"editor-context": "editor_context",
	"reasoning-effort": "reasoning_effort",
	"user-edits": "user_edits",
	"user-shell-command": "user_shell_command",
	"subagent-notification": "subagent_notification",
	"image-omitted": "image_omitted",
	"repeated-call": undefined,
	"turn-aborted": "turn_aborted",
	"turn-retried": "turn_retried",
	"side-question": "side_question",
	"commit-request": "commit_request",
	"compaction-request": "compaction_request",
	"compacted-intent": "compacted_intent",
	"history-bridge": "history_bridge",
	"compacted-context": "compacted_context",
};

const SECTION_IDS =
	"model permissions networkRules approvedPrefixes collaborationMode realtime personality effort skills agentRoles plugins apps budget goal agent userInstructions folderInstructions environment editorContext";
const TOOL_NAMES =
	"read_file view_image list_files search_files locate_symbol list_symbols problems run_command run_task write_command_input stop_command apply_patch rename_symbol code_action fetch_page update_plan report_findings report_goal ask_user recall use_skill find_server_tools call_server_tool start_agent message_agent wait_agents stop_agent";
const RECORD_KINDS =
	"thread settings envelope event images attached items rewrite mute touch review request spent told partial";
const HISTORY_KINDS = "fragment userMessage userImage agentMessage reasoning sealedSummary toolCall toolOutput";

// Add new names here. A missing one was renamed, so that existing threads could no longer be read.
test("the names used in threads on disk never change", () => {
	assert.deepEqual(Object.fromEntries(FRAGMENTS.map(({ kind, tag }) => [kind, tag])), TAGS);
	assert.equal(SECTIONS.map(({ id }) => id).join(" "), SECTION_IDS);
	assert.equal(TOOLS.map(({ name }) => name).join(" "), TOOL_NAMES);
	assert.equal(kindsOf(RecordBody), RECORD_KINDS);
	assert.equal(kindsOf(HistoryItem), HISTORY_KINDS);
});

function kindsOf(schema: typeof RecordBody | typeof HistoryItem): string {
	return schema.options.flatMap(({ shape }) => [...shape.kind.values]).join(" ");
}
