import type { Surface } from "./surface-entries.ts";

export interface SurfaceRow {
	readonly ability: string;
	/** By what each way in does it; a way that is missing cannot. */
	readonly by: { readonly [surface in Surface]?: readonly string[] };
}

/** What the ways in can do. Each entry of each way occurs here, and nothing else does: a test compares. */
export const SURFACE_ROWS: readonly SurfaceRow[] = [
	{
		ability: "start a thread",
		by: { editor: ["thread/start"], cli: ["exec"], mcp: ["start"], acp: ["session/new"], api: ["start"] },
	},
	{
		ability: "send a prompt",
		by: {
			editor: ["turn/start"],
			cli: ["exec"],
			mcp: ["turn", "start.prompt", "turn.prompt"],
			acp: ["session/prompt"],
			api: ["send"],
		},
	},
	{
		ability: "attach files and images",
		by: {
			editor: ["file/find", "thread/image", "server/findResources", "server/readResource"],
			cli: ["exec --file", "exec --image", "exec --stdin"],
			acp: ["prompt image", "prompt embeddedContext"],
		},
	},
	{ ability: "fill in a prompt for the user to send", by: { api: ["prefill"] } },
	{
		ability: "follow a turn while it runs",
		by: { editor: ["thread/event"], cli: ["exec --json"], mcp: ["wait"], acp: ["session/update"], api: ["follow"] },
	},
	{
		ability: "start a turn and come back for it",
		by: { editor: ["turn/start"], mcp: ["start.background", "turn.background"] },
	},
	{ ability: "send a message into a running turn", by: { editor: ["turn/steer"], mcp: ["steer"] } },
	{
		ability: "stop a turn",
		by: { editor: ["turn/interrupt"], cli: ["Ctrl+C"], mcp: ["interrupt"], acp: ["session/cancel"] },
	},
	{
		ability: "ask the user for an approval or an answer",
		by: {
			editor: ["approval/ask", "approval/diff", "question/ask"],
			cli: ["exec, on the terminal"],
			mcp: ["elicitInput"],
			acp: ["session/request_permission"],
		},
	},
	{
		ability: "choose the folder",
		by: {
			editor: ["thread/start", "thread/settings"],
			cli: ["exec --cwd"],
			mcp: ["start.cwd", "turn.cwd", "settings"],
			acp: ["session/new", "additionalDirectories"],
			api: ["start"],
		},
	},
	{
		ability: "choose model and effort",
		by: {
			editor: ["thread/settings", "model/list", "model/discover", "model/detect"],
			cli: ["exec --model", "exec --effort", "exec --summary"],
			mcp: ["start.model", "turn.model", "turn.effort", "turn.summary"],
			acp: ["option model", "option thought_level"],
		},
	},
	{
		ability: "choose the model's server",
		by: {
			editor: ["workspace/didChangeConfiguration", "secret/get", "model/signIn", "model/signOut"],
			cli: ["exec --base-url", "exec --wire"],
		},
	},
	{
		ability: "use the editor's own models",
		by: { editor: ["editorModel/list", "editorModel/stream", "editorModel/part", "editorModel/countTokens"] },
	},
	{
		ability: "set permissions",
		by: {
			editor: ["thread/settings", "workspace/didChangeTrust"],
			cli: ["exec --mode", "exec --approval", "exec --policy"],
			mcp: ["start.approval", "start.sandbox", "turn.approval", "turn.sandbox"],
			acp: ["session/set_config_option", "option mode"],
		},
	},
	{
		ability: "plan before acting",
		by: { editor: ["thread/settings"], mcp: ["settings"], acp: ["session/set_mode", "option collaboration"] },
	},
	{
		ability: "change any other setting of a thread",
		by: { editor: ["thread/settings"], cli: ["exec --settings"], mcp: ["settings", "start.config"] },
	},
	{
		ability: "replace the agent's instructions",
		by: {
			editor: ["thread/settings"],
			cli: ["exec --settings"],
			mcp: ["start.baseInstructions", "start.developerInstructions", "start.compactPrompt"],
		},
	},
	{ ability: "get an answer in a JSON schema", by: { cli: ["exec --output-schema"], mcp: ["turn.outputSchema"] } },
	{
		ability: "continue a recorded thread",
		by: {
			editor: ["thread/resume"],
			cli: ["exec --resume", "exec --last"],
			mcp: ["resume"],
			acp: ["session/load", "session/resume"],
			api: ["open", "send"],
		},
	},
	{
		ability: "copy a thread",
		by: { editor: ["thread/fork"], cli: ["exec --fork"], mcp: ["fork"] },
	},
	{ ability: "take back the last turns", by: { editor: ["thread/rollback"], mcp: ["rollback"] } },
	{
		ability: "compact",
		by: {
			editor: ["thread/compact"],
			cli: ["compact", "compact --focus", "compact --json", "compact --model", "compact --base-url", "compact --wire"],
			mcp: ["compact", "compact.focus", "compact.throughTurnId"],
			acp: ["/compact"],
		},
	},
	{
		ability: "preview a compaction and undo it",
		by: {
			editor: ["thread/compact/apply", "thread/compact/undo"],
			mcp: ["compact.preview", "compact_apply", "compact_undo"],
		},
	},
	{ ability: "keep messages in context, and leave outputs out", by: { editor: ["thread/pin", "thread/mute"] } },
	{
		ability: "list and search threads",
		by: {
			editor: ["thread/list", "thread/search"],
			cli: ["threads", "threads --search", "threads --cwd"],
			mcp: ["list"],
			acp: ["session/list"],
		},
	},
	{
		ability: "read a thread",
		by: {
			editor: ["thread/read"],
			cli: ["threads show", "threads --json"],
			mcp: ["read"],
			acp: ["session/load"],
			api: ["open"],
		},
	},
	{
		ability: "delete a thread",
		by: { editor: ["thread/delete"], cli: ["threads delete"], acp: ["session/delete"] },
	},
	{
		ability: "let go of a thread, so that another process can use it",
		by: { editor: ["thread/close"], acp: ["session/close"] },
	},
	{
		ability: "archive threads",
		by: { editor: ["thread/archive"], cli: ["threads archive", "threads unarchive"] },
	},
	{ ability: "rename a thread", by: { editor: ["thread/rename"] } },
	{ ability: "export a thread", by: { editor: ["thread/export"], cli: ["threads export"] } },
	{ ability: "import, check and repair threads", by: { editor: ["thread/import", "thread/verify", "thread/repair"] } },
	{
		ability: "make the requests of a thread again from its records",
		by: { editor: ["thread/replay"], cli: ["replay"] },
	},
	{
		ability: "see what the model is sent",
		by: { editor: ["context/inspect", "context/told", "instructions/lint"], mcp: ["inspect"] },
	},
	{
		ability: "review changes and restore files",
		by: {
			editor: [
				...["review/list", "review/base", "review/keep", "review/reject", "review/comment"],
				...["thread/restore", "thread/restore/redo"],
			],
		},
	},
	{ ability: "let the agent review changes", by: { editor: ["turn/start"], acp: ["/review"] } },
	{
		ability: "work in a Git worktree, merge and drop it",
		by: {
			editor: [
				...["worktree/plan", "worktree/add", "worktree/list", "worktree/inspect", "worktree/merge"],
				"worktree/drop",
			],
		},
	},
	{ ability: "ask a side question, and write a commit message", by: { editor: ["thread/ask", "commit/message"] } },
	{ ability: "pause, resume and stop a goal", by: { editor: ["goal/change"] } },
	{
		ability: "see and revoke permissions",
		by: { editor: ["policy/show", "permission/ledger", "permission/revoke"] },
	},
	{
		ability: "watch and stop background commands",
		by: { editor: ["process/list", "process/tail", "process/stop", "process/background", "process/changed"] },
	},
	{
		ability: "manage MCP servers and sign in to them",
		by: {
			editor: [
				...["server/list", "server/start", "server/stop", "server/log", "server/changed", "server/input"],
				...["server/signIn", "server/signOut", "server/credentials", "server/keepCredentials"],
				...["server/redirect", "server/authorize"],
			],
		},
	},
	{ ability: "bring MCP servers along for one session", by: { acp: ["servers http"] } },
	{
		ability: "manage plugins",
		by: { editor: ["plugin/list", "plugin/inspect", "plugin/install", "plugin/remove"] },
	},
	{
		ability: "use open documents, language servers and tasks",
		by: {
			editor: [
				...["document/encoding", "document/unsaved", "language/problems", "language/locate", "language/outline"],
				...["language/symbols", "language/rename", "language/hover", "language/actions"],
				"task/list",
			],
		},
	},
	{ ability: "use tools of other extensions", by: { editor: ["editorTool/list", "editorTool/call"] } },
	{ ability: "use the reading tools in another agent of the editor", by: { editor: ["tool/lend"] } },
	{
		ability: "check the machine, the sandbox and the model's server",
		by: {
			editor: [
				...["host/status", "host/statusChanged", "host/warning", "host/doctor", "host/traces"],
				...["policy/probe", "model/forgetLessons"],
			],
			cli: ["doctor"],
		},
	},
	{ ability: "run one command under a policy file", by: { cli: ["sandbox"] } },
	{ ability: "apply one patch", by: { cli: ["apply-patch"] } },
	{ ability: "serve the others", by: { cli: ["mcp", "acp"], acp: ["initialize"] } },
	{
		ability: "complete words in a shell",
		by: { cli: ["completion", "completion bash", "completion zsh", "completion fish"] },
	},
];
