import assert from "node:assert/strict";
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval.ts";
import { isCall } from "../../agent-host/protocol/item.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings.ts";
import type { World } from "../support/canaries.ts";
import type { Step } from "../support/fake-model-steps.ts";
import { calls, callsAll, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { withHost } from "./rig/with-host.ts";

const SECRET = "db.example:5432:prod:admin:hunter2";

/** What may be at a closed place without anybody hearing of it. */
const CONTENTS: readonly (string | undefined | "folder")[] = [
	`${SECRET}\nsecond line\n`,
	"guess\n",
	"",
	"x".repeat(11_000_000),
	"\0binary\0",
	undefined,
	"folder",
];

const patches = (path: string): readonly string[] => {
	const update = (...lines: readonly string[]) => [
		"*** Begin Patch",
		`*** Update File: ${path}`,
		...lines,
		"*** End Patch",
	];
	return [
		update("@@", "-guess", "+x"),
		update("@@ deep", " not there", "+x"),
		update("*** Move to: taken.txt", "@@", "-guess", "+x"),
		["*** Begin Patch", `*** Add File: ${path}`, "+x", "*** End Patch"],
		["*** Begin Patch", `*** Delete File: ${path}`, "*** End Patch"],
		["*** Begin Patch", "*** Update File: open.txt", `*** Move to: ${path}`, "@@", "-open", "+x", "*** End Patch"],
	].map((lines) => lines.join("\n"));
};

/** Every way to ask about a path, each by itself. */
function probes(path: string): readonly (readonly [name: string, args: object])[] {
	return [
		["read_file", { path }],
		["read_file", { path, from: 7 }],
		["view_image", { path }],
		["list_files", { path }],
		["search_files", { pattern: "hunter2", path }],
		["search_files", { pattern: "(", regex: true, path }],
		["run_command", { command: [path] }],
		["run_command", { command: ["true"], cwd: path }],
		...patches(path).map((patch) => ["apply_patch", { patch }] as const),
	];
}

function put(path: string, content: (typeof CONTENTS)[number]): void {
	rmSync(path, { recursive: true, force: true });
	mkdirSync(dirname(path), { recursive: true });
	if (content === "folder") mkdirSync(path);
	else if (content !== undefined) writeFileSync(path, content);
}

/** What is answered to each, all asked in one reply of the model; in the order of the questions, whichever was answered first. */
async function answers(host: HostProcess, steps: Step[], all: ReturnType<typeof probes>): Promise<readonly string[]> {
	const asked = callsAll(all);
	steps.push(asked, says("Done."));
	const { published } = await runTurn(host, await aThread(host), "Ask.");
	const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : [])).filter(isCall);
	assert.equal(items.length, all.length);
	return asked.parts.map((part) => {
		const item = items.find(({ callId }) => part.kind === "call" && callId === part.callId) ?? assert.fail();
		return `${item.name}: ${item.output}`;
	});
}

interface Place {
	readonly what: string;
	readonly settings: PartialSettings;
	/** Where the content is, and how it is asked for. */
	readonly file: (world: World) => string;
	readonly spelled: (world: World) => string;
	readonly prepare?: (world: World) => void;
}

const DENIED = { permissions: { denyRead: ["**/closed/**", "**/*.env"] } } as const satisfies PartialSettings;
const NEVER = { approval: "never" } as const satisfies PartialSettings;
const inWorkspace =
	(...parts: readonly string[]) =>
	(world: World) =>
		join(world.workspace, ...parts);
const outsideOf = (world: World) => join(dirname(world.workspace), "elsewhere", "pgpass");

const PLACES: readonly Place[] = [
	{ what: "a closed folder", settings: DENIED, file: inWorkspace("closed", "a"), spelled: () => "closed/a" },
	{ what: "a closed pattern", settings: DENIED, file: inWorkspace("prod.env"), spelled: () => "prod.env" },
	{
		what: "a closed place by a detour",
		settings: DENIED,
		file: inWorkspace("closed", "a"),
		spelled: () => "./sub/..//closed/./a/",
		prepare: (world) => mkdirSync(join(world.workspace, "sub"), { recursive: true }),
	},
	{
		what: "a closed folder through a link to its file",
		settings: DENIED,
		file: inWorkspace("closed", "a"),
		spelled: () => "way-in",
		prepare: (world) => symlinkSync("closed/a", join(world.workspace, "way-in")),
	},
	{
		what: "a closed folder through a link to the folder above it",
		settings: DENIED,
		file: inWorkspace("closed", "a"),
		spelled: () => "here/closed/a",
		prepare: (world) => symlinkSync(".", join(world.workspace, "here")),
	},
	{
		what: "a file by a link whose name is closed",
		settings: DENIED,
		file: inWorkspace("real.txt"),
		spelled: () => "linked.env",
		prepare: (world) => symlinkSync("real.txt", join(world.workspace, "linked.env")),
	},
	{
		what: "the file that a link with a closed name leads to",
		settings: DENIED,
		file: inWorkspace("real.txt"),
		spelled: () => "real.txt",
		prepare: (world) => symlinkSync("real.txt", join(world.workspace, "linked.env")),
	},
	{
		what: "a denied name that is a link, by the name it leads to",
		settings: { permissions: { denyRead: [":workspace/private"] } },
		file: inWorkspace("real-private", "a"),
		spelled: () => "real-private/a",
		prepare: (world) => symlinkSync("real-private", join(world.workspace, "private")),
	},
	{
		what: "a file outside the folders, read-only and nobody to ask",
		settings: { permissions: { mode: "readOnly", denyRead: ["**/elsewhere/**"] }, ...NEVER },
		file: outsideOf,
		spelled: outsideOf,
	},
	{
		what: "a file outside the folders through a link, closed",
		settings: { permissions: { denyRead: ["**/elsewhere/**"] } },
		file: outsideOf,
		spelled: () => "ref/elsewhere/pgpass",
		prepare: (world) => symlinkSync("..", join(world.workspace, "ref")),
	},
	{
		what: "a closed file by the host's own working folder",
		settings: DENIED,
		file: inWorkspace("closed", "a"),
		spelled: (world) => `/proc/self/root${realpathSync(world.workspace)}/closed/a`,
	},
];

for (const { what, settings, file, spelled, prepare } of PLACES) {
	test(`${what}: every refusal is the same, whatever is there and whether something is`, (t) => {
		const steps: Step[] = [];
		return withHost(t, { settings: { ...settings, ...ROOMY }, script: steps }, async ({ host, model, world }) => {
			writeFileSync(join(world.workspace, "open.txt"), "open\n");
			prepare?.(world);
			const seen = new Map<string, unknown>();
			for (const content of CONTENTS) {
				put(file(world), content);
				const said = await answers(host, steps, probes(spelled(world)));
				seen.set(JSON.stringify(said), content);
			}
			rmSync(file(world), { recursive: true, force: true });
			assert.equal(seen.size, 1, [...seen.keys()].join("\n"));
			assert.ok(model.requests.every((request) => !JSON.stringify(bodyOf(request)).includes("prod:admin")));
		});
	});
}

const ROOMY = { model: { contextWindow: 2_000_000 } } as const satisfies PartialSettings;

const ASKED: readonly (readonly [what: string, settings: PartialSettings])[] = [
	["ask and untrusted", { permissions: { mode: "ask" }, approval: "untrusted" }],
	["read-only", { permissions: { mode: "readOnly" } }],
	["read-only, nobody to ask", { permissions: { mode: "readOnly" }, ...NEVER }],
	["ask, nobody to ask", { permissions: { mode: "ask" }, ...NEVER }],
];

for (const [what, settings] of ASKED) {
	for (const [how, spell] of [
		["by its own path", outsideOf],
		["through a link", () => "ref/elsewhere/pgpass"],
	] as const) {
		test(`${what}: patches of a file outside the folders, ${how}, tell nothing before they are allowed`, (t) => {
			const steps: Step[] = [];
			const asked: ApprovalRequest[] = [];
			const approve = (request: ApprovalRequest) => {
				asked.push(request);
				return { decision: "deny", digest: request.digest } as const;
			};
			return withHost(t, { settings: { ...settings, ...ROOMY }, script: steps, approve }, async ({ host, world }) => {
				writeFileSync(join(world.workspace, "open.txt"), "open\n");
				symlinkSync("..", join(world.workspace, "ref"));
				const all = patches(spell(world)).map((patch) => ["apply_patch", { patch }] as const);
				const seen = new Set<string>();
				for (const content of CONTENTS) {
					put(outsideOf(world), content);
					seen.add(JSON.stringify([await answers(host, steps, all), asked.splice(0).length]));
				}
				rmSync(dirname(outsideOf(world)), { recursive: true });
				assert.equal(seen.size, 1, [...seen].join("\n"));
			});
		});
	}
}

const INSTRUCTIONS: readonly (readonly [what: string, prepare: (folder: string) => void])[] = [
	["a link to a closed file", (folder) => symlinkSync("prod.env", join(folder, "AGENTS.md"))],
	["a link to an open file", (folder) => symlinkSync("open.txt", join(folder, "AGENTS.md"))],
	["an override that is a link", (folder) => symlinkSync("prod.env", join(folder, "AGENTS.override.md"))],
];

for (const [what, prepare] of INSTRUCTIONS) {
	test(`instructions of the workspace are not read from ${what}, and the user hears why`, (t) =>
		withHost(t, { settings: DENIED, script: [says("ok")] }, async ({ host, model, world }) => {
			for (const name of ["prod.env", "open.txt"]) writeFileSync(join(world.workspace, name), `${SECRET}\n`);
			rmSync(join(world.workspace, "AGENTS.md"), { force: true });
			prepare(world.workspace);
			const { published } = await runTurn(host, await aThread(host), "Hello.");
			assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes(SECRET));
			const warnings = published.flatMap(({ event }) => (event.type === "warning" ? [event.message] : []));
			assert.match(warnings.join("\n"), /is a link, so its instructions are not used/);
		}));
}

test("instructions that the policy closes are not read", (t) =>
	withHost(
		t,
		{ settings: { permissions: { denyRead: ["**/AGENTS.md"] } }, script: [says("ok")] },
		async ({ host, model, world }) => {
			writeFileSync(join(world.workspace, "AGENTS.md"), `${SECRET}\n`);
			await runTurn(host, await aThread(host), "Hello.");
			assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes(SECRET));
		},
	));

const HEADS: readonly (readonly [what: string, prepare: (git: string) => void])[] = [
	["a link", (git) => symlinkSync("../prod.env", join(git, "HEAD"))],
	["a file that is none of Git's", (git) => writeFileSync(join(git, "HEAD"), "hvs.CAESIJse and more\n")],
];

for (const trusted of [true, false]) {
	for (const [what, prepare] of HEADS) {
		test(`of a HEAD that is ${what} nothing is told, ${trusted ? "trusted" : "in Restricted Mode"}`, (t) =>
			withHost(t, { trusted, script: [says("ok")] }, async ({ host, model, world }) => {
				writeFileSync(join(world.workspace, "prod.env"), "hvs.CAESIJse and more\n");
				rmSync(join(world.workspace, ".git"), { recursive: true, force: true });
				mkdirSync(join(world.workspace, ".git"));
				prepare(join(world.workspace, ".git"));
				await runTurn(host, await aThread(host), "Hello.");
				assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes("hvs.CAES"));
			}));
	}
}

test("a closed name that leads elsewhere by now still closes where it led before", (t) => {
	const relink = { command: "rm private && ln -s open.txt private" };
	const script = [calls("run_command", relink), calls("run_command", { command: "cat real-private/a" }), says("ok")];
	const read = [calls("read_file", { path: "real-private/a" }), says("ok")];
	const settings = { permissions: { denyRead: [":workspace/private"] } };
	return withHost(t, { settings, script: [...script, ...read] }, async ({ host, model, world }) => {
		put(join(world.workspace, "real-private", "a"), `${SECRET}\n`);
		symlinkSync("real-private", join(world.workspace, "private"));
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await runTurn(host, threadId, "two");
		assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes(SECRET));
	});
});

test("not even the name of a closed file is listed or searched", (t) => {
	const script = [
		calls("list_files", {}),
		calls("search_files", { pattern: "prod" }),
		calls("list_files", { pattern: "**/*.env" }),
		says("ok"),
	];
	return withHost(t, { settings: DENIED, script }, async ({ host, model, world }) => {
		for (const name of ["prod.env", "open.txt"]) writeFileSync(join(world.workspace, name), `${SECRET}\n`);
		put(join(world.workspace, "closed", "inner.txt"), `${SECRET}\n`);
		symlinkSync("prod.env", join(world.workspace, "harmless"));
		await runTurn(host, await aThread(host), "List.");
		const outputs = bodyOf(model.requests.at(-1) ?? assert.fail()).input.flatMap((item) =>
			item.type === "function_call_output" ? [String(item.output)] : [],
		);
		assert.equal(outputs.length, 3);
		assert.match(outputs.join("\n"), /open\.txt/);
		assert.doesNotMatch(outputs.join("\n"), /prod\.env|inner|harmless/);
	});
});
