import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ServersSettings } from "../../../agent-host/protocol/settings/server-settings.ts";
import type { UserInput } from "../../../agent-host/protocol/thread/turn.ts";
import { aPng } from "../../support/an-image.ts";
import { calls, callsAll, fails, holds, says, withUsage } from "../../support/fake-model-steps.ts";
import { MCP_SERVER } from "../../support/mcp-server.ts";
import { inTurns, long, sumsUp } from "./compaction.ts";
import { type InProcess, type InProcessOptions, openInProcess } from "./in-process.ts";

/** One way a turn can go, from its start to its end. */
export interface TurnKind {
	readonly options: InProcessOptions;
	/** Turns before the one that counts. */
	readonly before?: (world: InProcess) => Promise<void>;
	/** What starts the turn: a prompt, or a request of its own. */
	readonly input: readonly UserInput[] | ((world: InProcess) => Promise<unknown>);
	/** What the client does while the turn runs. */
	readonly meanwhile?: (world: InProcess) => Promise<void>;
	readonly ends?: "interrupted" | "failed";
}

const GO: readonly UserInput[] = [{ kind: "text", text: "Go." }];
const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n";
const FILES = { "a.txt": "one\ntwo\n" };
const PNG = aPng(4, 3);
/** Enough for a window of 8,000 tokens to be nearly full. */
const FULL = { input: 7_000, cached: 0, output: 10, reasoning: 0 };

/** Every kind of turn there is: each tool, each wire, each way to compact, to fail, to be steered and to end. */
export const TURN_KINDS: Readonly<Record<string, () => TurnKind>> = {
	"the demo model": () => ({ options: { script: [], settings: { model: { provider: "demo" } } }, input: GO }),
	"words of a Responses server": () => ({ options: { script: [says("Hello.")] }, input: GO }),
	"words of a Chat server": () => ({
		options: { script: [says("Hello.")], settings: { model: { wire: "chat" } } },
		input: GO,
	}),
	"words of an editor's model": () => ({
		options: {
			script: [],
			settings: { model: { provider: "editor", id: "own" } },
			editorModels: {
				list: async () => [{ id: "own", name: "Own", vendor: "test", window: 24_000 }],
				stream: async (_, take) => {
					take({ kind: "text", text: "Hello." });
					return { status: "completed" };
				},
				countTokens: async () => 10,
			},
		},
		input: GO,
	}),
	"another model that goes on": () => ({
		options: { script: [says("Hello."), says("Hello again.")] },
		before: async (world) => {
			const { session, threadId } = world;
			await run(world, GO);
			await session.changeSettings(threadId, { settings: { model: { id: "fake-2" } } });
			// Bound like a turn that would begin now.
			await session.inspect(threadId);
			await session.showPolicy({ threadId, compiled: true });
			await session.lookAtSandbox();
			await session.findFiles({ threadId, query: "a", limit: 1, wait: true });
		},
		input: GO,
	}),
	"an answer in a form of its own, on a branch": () => ({
		options: { script: [says("{}")] },
		before: async ({ workspace }) => {
			mkdirSync(join(workspace, ".git"));
			writeFileSync(join(workspace, ".git", "HEAD"), "ref: refs/heads/main\n");
		},
		input: ({ session, threadId }) =>
			session.startTurn({ threadId, input: [...GO], overrides: { outputSchema: { type: "object" } } }),
	}),
	"every tool that reads": () => ({
		options: {
			files: FILES,
			script: [
				callsAll([
					["read_file", { path: "a.txt" }],
					["list_files", {}],
					["search_files", { pattern: "one" }],
					["update_plan", { steps: [{ text: "Look", status: "running" }] }],
					["recall", { query: "one" }],
					["ask_user", { question: "Which one?" }],
				]),
				says("Read."),
			],
		},
		input: GO,
	}),
	"a review that reports what it finds": () => ({
		options: {
			files: FILES,
			script: [
				calls("report_findings", {
					findings: [{ severity: "warning", path: "a.txt", line: 1, title: "One", reason: "It should be two." }],
				}),
				says("Reviewed."),
			],
		},
		input: ({ session, threadId }) =>
			session.startTurn({ threadId, input: [...GO], overrides: { settings: { modes: { collaboration: "review" } } } }),
	}),
	"a turn for a goal": () => ({
		options: { script: [calls("report_goal", { status: "reached", report: "It is there." }), says("Done.")] },
		input: ({ session, threadId }) => session.startTurn({ threadId, input: [...GO], goal: { budget: { turns: 1 } } }),
	}),
	"a skill that the user allows": () => ({
		options: {
			script: [calls("use_skill", { name: "greet" }), says("Hello.")],
			answer: "allow",
		},
		before: async ({ workspace }) => {
			const folder = join(workspace, ".agents/skills/greet");
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, "SKILL.md"), "---\ndescription: Greets.\n---\nSay hello.\n");
		},
		input: GO,
	}),
	"tools of an MCP server that has many": () => ({
		options: {
			script: [
				calls("find_server_tools", { query: "say again" }),
				calls("call_server_tool", { server: "fake", tool: "echo", arguments: { text: "Hello." } }),
				says("Done."),
			],
			settings: {
				model: { contextWindow: 1_000_000 },
				servers: ServersSettings.parse({
					fake: { command: process.execPath, args: ["--input-type=module", "-e", MCP_SERVER], env: { MODE: "many" } },
				}),
			},
			answer: "allow",
		},
		input: GO,
	}),
	"what only an editor knows": () => ({
		options: {
			files: FILES,
			script: [
				calls("locate_symbol", { symbol: "one", path: "a.txt" }),
				calls("list_symbols", { path: "a.txt" }),
				calls("problems", {}),
				calls("rename_symbol", { symbol: "one", path: "a.txt", newName: "two" }),
				calls("code_action", { path: "a.txt" }),
				calls("run_task", {}),
				says("It knows nothing."),
			],
		},
		input: GO,
	}),
	"images, attached and looked at": () => ({
		options: {
			script: [calls("view_image", { path: "none.png" }), says("Seen.")],
			settings: { model: { id: "gpt-5-fake" } },
		},
		input: [...GO, { kind: "image", data: PNG.toString("base64") }],
	}),
	"what the user attached": () => ({
		options: { files: FILES, script: [says("Read.")] },
		input: [
			...GO,
			{ kind: "selection", path: "a.txt", from: 1, to: 1, text: "one" },
			{ kind: "file", path: "a.txt" },
			{ kind: "problems", problems: [{ path: "a.txt", line: 1, message: "odd" }] },
			{ kind: "excerpt", title: "An excerpt", text: "text" },
			{ kind: "editor", activeFile: "a.txt", openFiles: ["a.txt"], unsavedFiles: [] },
		],
	}),
	"a patch that the user allows": () => ({
		options: {
			script: [calls("apply_patch", { patch: PATCH }), says("Written.")],
			settings: { permissions: { mode: "ask" } },
			answer: "allow",
		},
		input: GO,
	}),
	"a patch that the user denies": () => ({
		options: {
			script: [calls("apply_patch", { patch: PATCH }), says("As you wish.")],
			settings: { permissions: { mode: "ask" } },
			answer: "deny",
		},
		input: GO,
	}),
	"commands, one of them in the background": () => ({
		options: {
			script: (request, index) => {
				const processId = /as process ([\w-]+)/.exec(request.text)?.[1];
				return [
					calls("run_command", { command: "echo made > made.txt; date" }),
					calls("run_command", { command: ["cat"], yieldMs: 50 }),
					calls("write_command_input", { processId, text: "hello\n", waitMs: 50 }),
					calls("stop_command", { processId }),
					says("Ran."),
				][index];
			},
		},
		input: GO,
	}),
	"a command outside the sandbox": () => ({
		options: {
			script: [calls("run_command", { command: ["true"], escalate: { reason: "It needs more." } }), says("Ran.")],
			answer: "allow",
		},
		input: GO,
	}),
	"a command and a page with an allow-list of hosts": () => ({
		options: {
			script: [
				callsAll([
					["run_command", { command: ["true"] }],
					["fetch_page", { url: "https://other.test/" }],
				]),
				says("Ran."),
			],
			settings: { permissions: { network: "allowList", allowedDomains: ["example.com"] } },
		},
		input: GO,
	}),
	"a command of the user's own": () => ({
		options: { script: [] },
		input: [{ kind: "shell", command: "echo hello" }],
	}),
	"a server that fails once": () => ({ options: { script: [fails(500), says("Again.")] }, input: GO }),
	"a server that cannot be reached": () => ({
		options: { script: [], settings: { model: { baseUrl: "http://127.0.0.1:9/v1" }, retry: { attempts: 1 } } },
		input: GO,
		ends: "failed",
	}),
	"a limit that is reached": () => ({
		options: {
			script: [says("Never.")],
			settings: { budgets: { thread: { tokens: 1 }, day: { requests: 100 } }, model: { prices: {} } },
		},
		before: (world) => run(world, GO),
		input: GO,
		ends: "failed",
	}),
	"an answer whose price the user has said": () => ({
		options: {
			script: [says("Cheap.")],
			settings: {
				budgets: { turn: { money: 1 } },
				model: { prices: { "fake-1": { input: 1, output: 1 } } },
			},
		},
		input: GO,
	}),
	"words said to the running turn": () => {
		const held = holds("Working", " on it.");
		return {
			options: { script: [held, says("Both.")] },
			input: GO,
			async meanwhile({ session, threadId }) {
				await held.reached;
				const turnId = (await session.threads.open(threadId)).running?.turnId;
				assert.ok(turnId);
				await session.steerTurn({ threadId, turnId, input: [{ kind: "text", text: "And this." }] });
				held.release();
			},
		};
	},
	"sub-agents that are started, written to, waited for and stopped": () => {
		let steps = 0;
		return {
			options: {
				script: ({ text }) =>
					text.includes("<agent_role")
						? says("Found.")
						: ([
								calls("start_agent", { name: "finder", role: "explore", task: "Find it." }),
								calls("message_agent", { agent: "finder", text: "And the tests." }),
								calls("wait_agents", { seconds: 1 }),
								calls("stop_agent", { agent: "finder" }),
							][steps++] ?? says("Done.")),
			},
			input: GO,
		};
	},
	"a turn that the user stops": () => {
		const held = holds("Working", " on it.");
		return {
			options: { script: [held] },
			input: GO,
			async meanwhile({ session, threadId }) {
				await held.reached;
				await session.interrupt(threadId);
			},
			ends: "interrupted",
		};
	},
	"a compaction inside the turn": () => ({
		options: {
			script: inTurns(
				[withUsage(calls("update_plan", { steps: [{ text: "Go on" }] }), FULL), says("Done.")],
				[sumsUp("Go.", [])],
			),
			settings: { model: { contextWindow: 8_000 }, compaction: { percent: 70 } },
		},
		input: [{ kind: "text", text: `Go. ${long(2_000)}` }],
	}),
	"a compaction by hand": () => ({
		options: { script: inTurns([says("One.")], [sumsUp("Go.", [])]) },
		before: (world) => run(world, GO),
		input: ({ session, threadId }) => session.compaction.compact({ threadId }),
	}),
	"a compaction by a model of another provider": () => ({
		options: { script: inTurns([says("One.")], [sumsUp("Go.", [])]) },
		before: async (world) => {
			const { facts } = world.session;
			const other = { baseUrl: facts.settings.model?.baseUrl, headers: { "x-team": "seven" } };
			facts.settings = { ...facts.settings, providers: { other }, compaction: { model: "other/fake-2" } };
			await run(world, GO);
		},
		input: ({ session, threadId }) => session.compaction.compact({ threadId }),
	}),
	"a compaction without a model": () => ({
		options: { script: [says(long(600))], settings: { compaction: { strategy: "deterministic" } } },
		before: (world) => run(world, GO),
		input: ({ session, threadId }) => session.compaction.compact({ threadId }),
	}),
};

/** Runs one turn of a kind from its start to its end; `sealed` is called in between, before anything of it has run. */
export async function playKind(t: TestContext, kind: TurnKind, sealed: (world: InProcess) => void): Promise<InProcess> {
	const world = await openInProcess(t, kind.options);
	await kind.before?.(world);
	await start(world, kind.input);
	sealed(world);
	await kind.meanwhile?.(world);
	await endOf(world);
	const end = world.published.findLast(({ event }) => event.type === "turnCompleted")?.event;
	assert.equal(end?.type === "turnCompleted" && end.status, kind.ends ?? "completed", JSON.stringify(end));
	return world;
}

async function run(world: InProcess, input: TurnKind["input"]): Promise<void> {
	await start(world, input);
	await endOf(world);
}

async function start(world: InProcess, input: TurnKind["input"]): Promise<void> {
	const { session, threadId } = world;
	if (typeof input === "function") await input(world);
	else await session.startTurn({ threadId, input: [...input] });
}

async function endOf({ session, threadId }: InProcess): Promise<void> {
	await (await session.threads.open(threadId)).running?.ended;
}
