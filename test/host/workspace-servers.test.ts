// biome-ignore-all lint/suspicious/noTemplateCurlyInString: files are written so.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import { serverFindResources } from "../../agent-host/protocol/host/server-resources.ts";
import {
	type ListedServer,
	serverList,
	serverLog,
	serverStart,
	serverStop,
} from "../../agent-host/protocol/host/servers.ts";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { worktreeAdd, worktreePlan } from "../../agent-host/protocol/thread/worktree.ts";
import type { World } from "../support/canaries.ts";
import { calls, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn, type TurnOutcome } from "../support/host-process.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { bodyOf } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const ROOM = { contextWindow: 1_000_000 };
const TOKEN = "t0k3n-of-a-test";

const asked: ApprovalRequest[] = [];
const entered: { readonly server: string; readonly place: string; readonly file?: string | undefined }[] = [];
let answer: "allow" | "deny" = "allow";
let value: string | undefined;
let beforeCall = async (): Promise<void> => undefined;
let beforeInput = (): void => undefined;

const withFiles = shareHost({
	settings: { model: ROOM },
	env: { GIVEN_OUTSIDE: "by the environment" },
	approve: async (request) => {
		asked.push(request);
		if (request.subject.kind === "serverTool") await beforeCall();
		return { decision: answer };
	},
	serverInput: ({ server, place, file }) => {
		entered.push({ server, place, file });
		beforeInput();
		return value;
	},
});

/** A file as VS Code has it, with a server of its own name: answers of other tests are about other content. */
function plant(world: Pick<World, "workspace">, name: string, more: object = {}, rest: object = {}): string {
	asked.length = 0;
	entered.length = 0;
	answer = "allow";
	value = undefined;
	beforeCall = async () => undefined;
	beforeInput = () => undefined;
	const path = join(world.workspace, ".vscode/mcp.json");
	mkdirSync(join(world.workspace, ".vscode"), { recursive: true });
	writeFileSync(join(world.workspace, "server.mjs"), MCP_SERVER);
	const server = { command: process.execPath, args: ["${workspaceFolder}/server.mjs"], ...more };
	writeFileSync(path, `// mine\n${JSON.stringify({ servers: { [name]: server }, ...rest }, undefined, "\t")}`);
	return path;
}

function outputsOf({ published }: TurnOutcome): readonly (string | undefined)[] {
	return published.flatMap(({ event }) =>
		event.type === "itemCompleted" && isCall(event.item) ? [event.item.output] : [],
	);
}

async function findServer(host: HostProcess, name: string): Promise<ListedServer | undefined> {
	return (await host.request(serverList, {})).servers.find((one) => one.name === name);
}

const SUBJECTS = () => asked.map(({ subject }) => subject.kind);

test("a workspace file's servers are used after consent to what would start, in the same turn and by the same rules", (t) =>
	withFiles(t, [calls("mcp__mine__echo", { text: "Hello." }), says("Done.")], async ({ host, world, model }) => {
		const path = plant(world, "mine");
		assert.deepEqual((await findServer(host, "mine"))?.state, "unasked");
		await assert.rejects(host.request(serverStart, { name: "mine" }), /is not used here/);
		const outcome = await runTurn(host, await aThread(host), "Go.");
		assert.deepEqual(outputsOf(outcome), ["Hello."]);
		assert.deepEqual(SUBJECTS(), ["customizations", "serverTool"]);
		const [{ subject }] = asked as [ApprovalRequest];
		assert.ok(subject.kind === "customizations");
		assert.deepEqual(
			subject.entries.map(({ kind, name, path: at, isChange }) => [kind, name, at, isChange]),
			[["servers", ".vscode/mcp.json", path, false]],
		);
		assert.match(subject.entries[0]?.text ?? "", /^mine starts: .*server\.mjs\n\n\/\/ mine\n/);
		assert.match(model.requests[0]?.text ?? "", /mcp__mine__echo/);
		assert.deepEqual((({ state, file }) => [state, file])((await findServer(host, "mine")) ?? assert.fail()), [
			"running",
			path,
		]);
	}));

test("one changed byte, of the file or of a script it names, starts nothing and asks again with the diff", (t) =>
	withFiles(t, [says("One."), says("Two.")], async ({ host, world, model }) => {
		plant(world, "changing");
		await runTurn(host, await aThread(host), "Go.");
		await host.request(serverStop, { name: "changing" });
		writeFileSync(join(world.workspace, "server.mjs"), `${MCP_SERVER}\n// evil`);
		assert.equal((await findServer(host, "changing"))?.state, "unasked");
		answer = "deny";
		await runTurn(host, await aThread(host), "Again.");
		const { subject } = asked.at(-1) ?? assert.fail();
		assert.ok(subject.kind === "customizations");
		assert.deepEqual([subject.entries[0]?.isChange, asked.length], [true, 2]);
		assert.match(subject.entries[0]?.text ?? "", /^\+\/\/ evil$/m);
		assert.doesNotMatch(JSON.stringify(bodyOf(model.requests[1] ?? assert.fail()).tools), /mcp__changing/);
	}));

test("a script that changes while the user decides about a call does not start", (t) =>
	withFiles(t, [calls("mcp__late__echo", { text: "x" }), says("Done.")], async ({ host, world }) => {
		plant(world, "late");
		beforeCall = async () => {
			await host.request(serverStop, { name: "late" });
			writeFileSync(join(world.workspace, "server.mjs"), `${MCP_SERVER}\n// evil`);
		};
		const [output = ""] = outputsOf(await runTurn(host, await aThread(host), "Go."));
		assert.match(
			output,
			/mcp\.json, or a file that it names, has changed\. You are asked about it with the next turn\.$/,
		);
	}));

test("a script that changes while the user enters a value does not start", (t) =>
	withFiles(t, [says("Done.")], async ({ host, world, model }) => {
		plant(world, "entered", { env: { GIVEN: "${input:given}" } }, { inputs: [{ id: "given", type: "promptString" }] });
		value = "given";
		beforeInput = () => writeFileSync(join(world.workspace, "server.mjs"), `${MCP_SERVER}\n// evil`);
		await runTurn(host, await aThread(host), "Go.");
		assert.equal(entered.length, 1);
		assert.doesNotMatch(model.requests[0]?.text ?? assert.fail(), /mcp__entered/);
		assert.equal((await findServer(host, "entered"))?.state, "unasked");
	}));

test("accepted servers of every folder and worktree are listed, started and stopped by hand, each by its file", async (t) => {
	const approve = () => ({ decision: "allow" as const });
	const folders = (world: World) => [world.workspace, join(world.workspace, "../second")];
	const options = { settings: { model: ROOM }, approve, folders, script: [says("One."), says("Two."), says("Three.")] };
	await withHost(t, options, async ({ host, world }) => {
		const [first, second] = folders(world) as [string, string];
		mkdirSync(second);
		const git = (...words: readonly string[]) =>
			execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@localhost", ...words], { cwd: second });
		plant({ workspace: first }, "here");
		plant({ workspace: second }, "there");
		git("init", "-q", "-b", "main");
		git("add", ".");
		git("commit", "-q", "-m", "first");
		const plan = await host.request(worktreePlan, { folder: second });
		const { path: worktree } = await host.request(worktreeAdd, plan);
		const list = async () =>
			(await host.request(serverList, {})).servers.map(({ name, state, file }) => [name, state, file]);
		const fileIn = (folder: string) => join(folder, ".vscode/mcp.json");
		assert.deepEqual(await list(), [
			["here", "unasked", fileIn(first)],
			["there", "unasked", fileIn(second)],
		]);
		for (const cwd of [first, second, worktree]) await runTurn(host, await aThread(host, { cwd }), "Go.");
		const running = [
			["here", "running", fileIn(first)],
			...[worktree, second].map((folder) => ["there", "running", fileIn(folder)]).sort(),
		];
		assert.deepEqual(await list(), running);
		await host.request(serverStop, { name: "there" });
		for (const folder of [worktree, second]) {
			const started = await host.request(serverStart, { name: "there", file: fileIn(folder) });
			assert.deepEqual([started.state, started.file], ["running", fileIn(folder)]);
		}
		await host.request(serverStop, { name: "there", file: fileIn(second) });
		assert.deepEqual(
			await list(),
			running.map(([name, state, file]) => [name, file === fileIn(second) ? "idle" : state, file]),
		);
		const ends = async (folder: string) => {
			const { text } = await host.request(serverLog, { name: "there", file: fileIn(folder) });
			return text.match(/^\[[\d:]+\] /gm)?.length;
		};
		assert.deepEqual([await ends(second), await ends(worktree)], [2, 1]);
		const { resources } = await host.request(serverFindResources, { query: "there:", limit: 10 });
		assert.ok(resources.some(({ server, uri }) => server === "there" && uri === "doc://guide"));
	});
});

test("variables get their values when the server starts; entered values are in no message, file or log", (t) => {
	const script = ["GIVEN", "HOST", "FOLDER"].map((where) => calls("mcp__filled__try", { what: "variable", where }));
	return withFiles(t, [...script, says("Done.")], async ({ host, world }) => {
		const path = plant(
			world,
			"filled",
			{
				env: {
					GIVEN: "${env:GIVEN_OUTSIDE}",
					HOST: "${NOT_THERE:-localhost}",
					FOLDER: "${workspaceFolder}",
					TOKEN: "${input:token}",
				},
			},
			{ inputs: [{ id: "token", type: "promptString", password: true, description: "Your token" }] },
		);
		value = TOKEN;
		const outcome = await runTurn(host, await aThread(host), "Go.");
		assert.deepEqual(outputsOf(outcome), ["by the environment", "localhost", world.workspace]);
		const place = `${process.execPath} \${workspaceFolder}/server.mjs`;
		assert.deepEqual(entered, [{ server: "filled", place, file: path }]);
		const said = asked[0]?.subject;
		assert.ok(said?.kind === "customizations");
		assert.match(
			said.entries[0]?.text ?? "",
			/gets your environment variables: GIVEN_OUTSIDE, NOT_THERE\n\+? {2}asks you for: token/,
		);
		assert.ok(host.received.messages.every((message) => !message.includes(TOKEN)));
		assert.doesNotMatch((await host.request(serverLog, { name: "filled" })).text, new RegExp(TOKEN));
	});
});

test("an entered value that a server cannot be sent is not in the reason for its failure, nor in any message", (t) =>
	withFiles(t, [says("Done.")], async ({ host, world }) => {
		const header = {
			command: undefined,
			args: undefined,
			url: "http://127.0.0.1:9/",
			headers: { key: "${input:token}" },
		};
		plant(world, "unsent", header, { inputs: [{ id: "token", type: "promptString" }] });
		value = `${TOKEN}\nand more`;
		await runTurn(host, await aThread(host), "Go.");
		const { state, reason = "" } = (await findServer(host, "unsent")) ?? assert.fail();
		assert.equal(state, "failed");
		assert.match(reason, /invalid header value/);
		assert.ok([reason, ...host.received.messages].every((message) => !message.includes(TOKEN)));
	}));

test("a missing value fails the server with the reason; only a start by hand asks for it again", (t) =>
	withFiles(t, [says("One."), says("Two.")], async ({ host, world }) => {
		plant(world, "silent", { env: { TOKEN: "${input:token}" } });
		await runTurn(host, await aThread(host), "Go.");
		await runTurn(host, await aThread(host), "Again.");
		assert.equal(entered.length, 1);
		const { state, reason } = (await findServer(host, "silent")) ?? assert.fail();
		assert.deepEqual([state, reason], ["failed", "It needs a value for token. Start it to enter one."]);
		value = TOKEN;
		assert.equal((await host.request(serverStart, { name: "silent" })).state, "running");
		assert.equal(entered.length, 2);
	}));

test("a workspace's server cannot open a closed folder of the user by naming it", (t) => {
	const script: Step[] = [];
	return withFiles(t, script, async ({ host, world }) => {
		const folder = join(world.env.HOME ?? assert.fail("no home folder"), "private");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "note.txt"), "hidden");
		plant(world, "nosy", { args: ["${workspaceFolder}/server.mjs", folder] });
		script.push(calls("mcp__nosy__try", { what: "read", where: join(folder, "note.txt") }), says("Done."));
		assert.deepEqual(outputsOf(await runTurn(host, await aThread(host), "Go.")), ["ENOENT"]);
	});
});

test("a refused server is not asked about again, and nothing of it starts", (t) =>
	withFiles(t, [says("One."), says("Two.")], async ({ host, world, model }) => {
		plant(world, "refused");
		answer = "deny";
		await runTurn(host, await aThread(host), "Go.");
		await runTurn(host, await aThread(host), "Again.");
		assert.deepEqual(SUBJECTS(), ["customizations"]);
		assert.ok(model.requests.every(({ text }) => !text.includes("mcp__refused")));
		assert.equal(await findServer(host, "refused"), undefined);
	}));

test("in an untrusted workspace the file is named, and its contents are not read", (t) =>
	withFiles(t, [says("One.")], async ({ host, world }) => {
		const path = plant(world, "untrusted");
		host.notify(didChangeTrust, { trusted: false });
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		assert.deepEqual(asked, []);
		assert.ok((await host.request(contextInspect, { threadId })).notFollowed?.includes(path));
		assert.deepEqual((await host.request(serverList, {})).servers, []);
		host.notify(didChangeTrust, { trusted: true });
		rmSync(path);
	}));
