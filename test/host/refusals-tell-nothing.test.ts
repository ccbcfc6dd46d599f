import assert from "node:assert/strict";
import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { MAX_FILE_BYTES } from "../../agent-host/workspace/apply/verify.ts";
import type { World } from "../support/canaries.ts";
import type { Script } from "../support/fake-model.ts";
import { calls, callsAll, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { type SharedTest, shareHost } from "./rig/share-host.ts";
import type { HostTestOptions } from "./rig/with-host.ts";

const SECRET = "db.example:5432:prod:admin:hunter2";

/** Contents that a place may have without revealing any of them. */
const CONTENTS: readonly Content[] = [
	`${SECRET}\nsecond line\n`,
	"guess\n",
	"",
	// Too large to be read, and to be patched.
	"x".repeat(MAX_FILE_BYTES + 1),
	"\0binary\0",
	undefined,
	{ kind: "folder" },
];

/** What a short run tries at most places: something, nothing, and two of the others, which differ from place to place. */
function contentsAt(index: number, all: readonly Content[]): readonly Content[] {
	if (process.env.VITRINE_FULL === "1") return all;
	const others = all.slice(1).filter((content) => content !== undefined);
	return [all[0], undefined, ...[0, 1].map((more) => others[(2 * index + more) % others.length])];
}

type Content = string | undefined | { readonly kind: "folder" } | { readonly kind: "link"; readonly to: string };

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

function put(path: string, content: Content): void {
	rmSync(path, { recursive: true, force: true });
	mkdirSync(dirname(path), { recursive: true });
	if (content === undefined) return;
	if (typeof content === "string") writeFileSync(path, content);
	else if (content.kind === "folder") mkdirSync(path);
	else symlinkSync(content.to, path);
}

const PLANTED: readonly string[] = ["README.md", "src", "link-to-file", "link-to-folder"];

/** One host for all tests with these settings, each of which finds the workspace as it was planted. */
function shareTidy(options: HostTestOptions) {
	const withShared = shareHost(options);
	return (t: TestContext, script: Script, body: (test: SharedTest) => Promise<void>) =>
		withShared(t, script, (test) => {
			const { workspace } = test.world;
			const made = readdirSync(workspace).filter((name) => !PLANTED.includes(name));
			for (const path of [...made.map((name) => join(workspace, name)), dirname(outsideOf(test.world))])
				rmSync(path, { recursive: true, force: true });
			return body(test);
		});
}

/** What is answered to each, all asked in one reply of the model; in the order of the questions, whichever was answered first. */
async function answers(
	{ host, threadId, steps }: { readonly host: HostProcess; readonly threadId: ThreadId; readonly steps: Step[] },
	all: ReturnType<typeof probes>,
): Promise<readonly string[]> {
	const asked = callsAll(all);
	steps.push(asked, says("Done."));
	const { published } = await runTurn(host, threadId, "Ask.");
	const items = published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : [])).filter(isCall);
	assert.equal(items.length, all.length);
	return asked.parts.map((part) => {
		const item = items.find(({ callId }) => part.kind === "call" && callId === part.callId) ?? assert.fail();
		return `${item.name}: ${item.output}`;
	});
}

interface Place {
	readonly what: string;
	/** Of the thread; without them, it is the user who has closed the place. */
	readonly settings?: PartialSettings;
	/** Where the content is, and how it is asked for. */
	readonly file: (world: World) => string;
	readonly spelled: (world: World) => string;
	readonly prepare?: (world: World) => void;
}

const DENIED = { permissions: { denyRead: ["**/closed/**", "**/*.env"] } } as const satisfies PartialSettings;
/** A model that is offered every tool, with room for all that it asks here. */
const ABLE = { model: { id: "gpt-5-fake", contextWindow: 2_000_000 } } as const satisfies PartialSettings;
const NEVER = { approval: "never" } as const satisfies PartialSettings;
const inWorkspace =
	(...parts: readonly string[]) =>
	(world: World) =>
		join(world.workspace, ...parts);
const outsideOf = (world: World) => join(dirname(world.workspace), "elsewhere", "pgpass");

const PLACES: readonly Place[] = [
	{ what: "a closed folder", file: inWorkspace("closed", "a"), spelled: () => "closed/a" },
	{ what: "a closed pattern", file: inWorkspace("prod.env"), spelled: () => "prod.env" },
	{
		what: "a closed place by a detour",
		file: inWorkspace("closed", "a"),
		spelled: () => "./sub/..//closed/./a/",
		prepare: (world) => mkdirSync(join(world.workspace, "sub"), { recursive: true }),
	},
	{
		what: "a closed folder through a link to its file",
		file: inWorkspace("closed", "a"),
		spelled: () => "way-in",
		prepare: (world) => symlinkSync("closed/a", join(world.workspace, "way-in")),
	},
	{
		what: "a closed folder through a link to the folder above it",
		file: inWorkspace("closed", "a"),
		spelled: () => "here/closed/a",
		prepare: (world) => symlinkSync(".", join(world.workspace, "here")),
	},
	{
		what: "a file by a link whose name is closed",
		file: inWorkspace("real.txt"),
		spelled: () => "linked.env",
		prepare: (world) => symlinkSync("real.txt", join(world.workspace, "linked.env")),
	},
	{
		what: "the file that a link with a closed name leads to",
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
		file: inWorkspace("closed", "a"),
		spelled: (world) => `/proc/self/root${realpathSync(world.workspace)}/closed/a`,
	},
];

let approveNow: NonNullable<HostTestOptions["approve"]> = () => ({ decision: "deny" });
const withDenied = shareTidy({ settings: { ...DENIED, ...ABLE } });
const withOpen = shareTidy({ settings: ABLE, approve: (request) => approveNow(request) });
const withRestricted = shareTidy({ settings: ABLE, trusted: false });

for (const [index, { what, settings, file, spelled, prepare }] of PLACES.entries()) {
	test(`${what}: every refusal reads the same, whatever the file holds and whether it exists`, (t) => {
		const steps: Step[] = [];
		const withHere = settings === undefined ? withDenied : withOpen;
		return withHere(t, steps, async ({ host, model, world }) => {
			for (const name of ["open.txt", "other.txt"]) writeFileSync(join(world.workspace, name), "open\n");
			prepare?.(world);
			const threadId = await aThread(host, settings === undefined ? {} : { settings });
			// With nobody to ask, nothing can be written, so there is no tool for that; every other one is there.
			const notOffered =
				settings?.approval === "never"
					? /The tool (?!apply_patch)\w+ is not available/
					: /The tool \w+ is not available/;
			const seen = new Map<string, unknown>();
			const link = { kind: "link", to: join(world.workspace, "other.txt") } as const;
			const all = [...CONTENTS, link];
			// What a thread's own settings close is found out in more ways, so there a short run tries all as well.
			for (const content of settings === undefined ? contentsAt(index, all) : all) {
				put(file(world), content);
				const said = await answers({ host, threadId, steps }, probes(spelled(world)));
				for (const one of said) assert.doesNotMatch(one, notOffered);
				seen.set(JSON.stringify(said), content);
			}
			assert.equal(seen.size, 1, [...seen.keys()].join("\n"));
			assert.ok(model.requests.every((request) => !JSON.stringify(bodyOf(request)).includes("prod:admin")));
		});
	});
}

const ASKED: readonly (readonly [what: string, settings: PartialSettings])[] = [
	["ask and untrusted", { permissions: { mode: "ask" }, approval: "untrusted" }],
	["read-only", { permissions: { mode: "readOnly" } }],
	["read-only, nobody to ask", { permissions: { mode: "readOnly" }, ...NEVER }],
	["ask, nobody to ask", { permissions: { mode: "ask" }, ...NEVER }],
];

for (const [index, [what, settings]] of ASKED.entries()) {
	for (const [how, spell] of [
		["by its own path", outsideOf],
		["through a link", () => "ref/elsewhere/pgpass"],
	] as const) {
		test(`${what}: patches of a file outside the folders, ${how}, reveal nothing before they are allowed`, (t) => {
			const steps: Step[] = [];
			const asked: ApprovalRequest[] = [];
			approveNow = (request) => {
				asked.push(request);
				return { decision: "deny", digest: request.digest };
			};
			return withOpen(t, steps, async ({ host, world }) => {
				writeFileSync(join(world.workspace, "open.txt"), "open\n");
				symlinkSync("..", join(world.workspace, "ref"));
				const threadId = await aThread(host, { settings });
				const all = patches(spell(world)).map((patch) => ["apply_patch", { patch }] as const);
				const seen = new Set<string>();
				for (const content of contentsAt(index, CONTENTS)) {
					put(outsideOf(world), content);
					seen.add(JSON.stringify([await answers({ host, threadId, steps }, all), asked.splice(0).length]));
				}
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
	test(`workspace instructions are not read from ${what}, and the user is told why`, (t) =>
		withDenied(t, [says("ok")], async ({ host, model, world }) => {
			for (const name of ["prod.env", "open.txt"]) writeFileSync(join(world.workspace, name), `${SECRET}\n`);
			prepare(world.workspace);
			const { published } = await runTurn(host, await aThread(host), "Hello.");
			assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes(SECRET));
			const warnings = published.flatMap(({ event }) => (event.type === "warning" ? [event.message] : []));
			assert.match(warnings.join("\n"), /is a link, so its instructions are not used/);
		}));
}

test("instruction files that the policy closes are not read", (t) =>
	withOpen(t, [says("ok")], async ({ host, model, world }) => {
		writeFileSync(join(world.workspace, "AGENTS.md"), `${SECRET}\n`);
		const settings = { permissions: { denyRead: ["**/AGENTS.md"] } };
		await runTurn(host, await aThread(host, { settings }), "Hello.");
		assert.equal(model.requests.length, 1);
		assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes(SECRET));
	}));

const HEADS: readonly (readonly [what: string, prepare: (git: string) => void])[] = [
	["a link", (git) => symlinkSync("../prod.env", join(git, "HEAD"))],
	["a file that is none of Git's", (git) => writeFileSync(join(git, "HEAD"), "hvs.CAESIJse and more\n")],
];

for (const trusted of [true, false]) {
	for (const [what, prepare] of HEADS) {
		test(`the model is told nothing of a HEAD that is ${what}, ${trusted ? "trusted" : "in Restricted Mode"}`, (t) =>
			(trusted ? withOpen : withRestricted)(t, [says("ok")], async ({ host, model, world }) => {
				writeFileSync(join(world.workspace, "prod.env"), "hvs.CAESIJse and more\n");
				mkdirSync(join(world.workspace, ".git"));
				prepare(join(world.workspace, ".git"));
				await runTurn(host, await aThread(host), "Hello.");
				assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes("hvs.CAES"));
			}));
	}
}

test("a closed name that now leads elsewhere still closes its former target", (t) => {
	const relink = { command: "rm private && ln -s open.txt private" };
	const script = [calls("run_command", relink), calls("run_command", { command: "cat real-private/a" }), says("ok")];
	const read = [calls("read_file", { path: "real-private/a" }), says("ok")];
	const settings = { permissions: { denyRead: [":workspace/private"] } };
	return withOpen(t, [...script, ...read], async ({ host, model, world }) => {
		put(join(world.workspace, "real-private", "a"), `${SECRET}\n`);
		symlinkSync("real-private", join(world.workspace, "private"));
		const threadId = await aThread(host, { settings });
		await runTurn(host, threadId, "one");
		await runTurn(host, threadId, "two");
		assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes(SECRET));
	});
});

test("closed files are neither listed nor searched by name", (t) => {
	const script = [
		calls("list_files", {}),
		calls("search_files", { pattern: "prod" }),
		calls("list_files", { pattern: "**/*.env" }),
		says("ok"),
	];
	return withDenied(t, script, async ({ host, model, world }) => {
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
