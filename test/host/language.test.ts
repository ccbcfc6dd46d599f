import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { REPORT_FINDINGS } from "../../agent-host/protocol/thread/finding.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { reviewKeep } from "../../agent-host/protocol/thread/review.ts";
import { TOOLS } from "../../agent-host/tools/catalog.ts";
import type { World } from "../support/canaries.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";

/** The first request, with its instructions and its context. */
const FIRST_REQUEST_BYTES = 12_288;

type Answer = (method: string, params: never) => unknown;

const asked: { readonly method: string; readonly params: unknown }[] = [];
const approvals: ApprovalRequest[] = [];
let answer: Answer = () => assert.fail("nothing was to be asked");

const EVERYTHING = {
	model: { contextWindow: 1_000_000 },
	permissions: { network: "allowList" as const, denyRead: ["**/closed/**"] },
};

const withEditor = shareHost({
	settings: EVERYTHING,
	asksUser: true,
	approve: (request) => {
		approvals.push(request);
		return { decision: "allow", digest: request.digest };
	},
	language: (method, params) => {
		asked.push({ method, params });
		return answer(method, params as never);
	},
});

/** The outputs of the calls of one turn, as the model reads them. */
async function outputsOf(host: HostProcess): Promise<readonly string[]> {
	asked.length = 0;
	approvals.length = 0;
	const { published } = await runTurn(host, await aThread(host), "Go on.");
	return published
		.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []))
		.filter(isCall)
		.map(({ output }) => output ?? "");
}

function plant({ workspace }: World, files: Readonly<Record<string, string>>): (name: string) => string {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(join(workspace, name, ".."), { recursive: true });
		writeFileSync(join(workspace, name), text);
	}
	return (name) => join(workspace, name);
}

const NOTHING = { problems: [], more: 0, unchecked: [], mark: 1 };
const position = (line: number) => ({ line, character: 0 });

test("the first request with every available tool stays within its size", (t) =>
	withEditor(t, [says("Done.")], async ({ host, model, world }) => {
		await outputsOf(host);
		const [request] = model.requests;
		const tools = bodyOf(request ?? assert.fail()).tools ?? [];
		const names = new Set(tools.map((tool) => (tool as { readonly name: string }).name));
		for (const name of ["locate_symbol", "run_task", "fetch_page", "ask_user", "start_agent"])
			assert.ok(names.has(name), `${name} is not in ${[...names]}`);
		// Those that only come with a skill, with many server tools, or with a model that reads images. A review offers no tool that edits.
		const others = TOOLS.filter(({ name }) => !names.has(name) && name !== REPORT_FINDINGS);
		const more = others.map(({ name, description, parameters }) => ({
			type: "function",
			name,
			description,
			parameters,
		}));
		// The folders of tests have long names.
		const text = request?.text.replaceAll(world.workspace, "/home/ann/website") ?? "";
		const size = Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(more));
		assert.ok(size <= FIRST_REQUEST_BYTES, `${size} bytes`);
	}));

const RENAMING = {
	"src/a.ts": "export const total = 1;\nexport const double = total * 2;\n",
	"src/b.ts": 'import { total } from "./a.ts";\r\nconsole.log(total);\r\n',
};

/** Edits that put another word in the place of `total`, as a language server would. */
function renameTotal(path: (name: string) => string, newName: string) {
	const edit = (line: number, character: number) => ({
		start: { line, character },
		end: { line, character: character + 5 },
		old: "total",
		text: newName,
	});
	return [
		{ path: path("src/a.ts"), edits: [edit(0, 13), edit(1, 22)] },
		{ path: path("src/b.ts"), edits: [edit(1, 12), edit(0, 9)] },
	];
}

test("after a patch the model reads which problems are new and how many are gone, wherever lines have moved", (t) => {
	const patch = aPatch("*** Update File: src/p.ts", "@@", "-one", "+zero", "+one", "*** Add File: src/new.ts", "+x");
	return withEditor(t, [calls("apply_patch", { patch }), says("Done.")], async ({ host, world }) => {
		const at = plant(world, { "src/p.ts": "one\ntwo\n" });
		const problem = (line: number, message: string) => ({
			...{ path: at("src/p.ts"), position: position(line), severity: "error", source: "ts", code: "2304", message },
		});
		answer = (_method, { paths, since }: { readonly paths: string[]; readonly since?: number }) =>
			since === undefined
				? { ...NOTHING, problems: [problem(1, "It stays."), problem(1, "It goes.")], mark: 7 }
				: {
						...NOTHING,
						problems: [
							problem(2, "It stays."),
							problem(0, "It is new."),
							{ ...problem(0, "So is it."), path: paths[1] },
						],
					};
		assert.deepEqual(await outputsOf(host), [
			[
				...["Changed:", "M src/p.ts (+2 -1)", "A src/new.ts (+1 -0)", "New problems:"],
				...["src/p.ts:1:1 error TS2304: It is new.", "src/new.ts:1:1 error TS2304: So is it.", "1 problem fixed."],
			].join("\n"),
		]);
		assert.deepEqual(
			asked.map(({ params }) => params),
			[{ paths: [at("src/p.ts")] }, { paths: [at("src/p.ts"), at("src/new.ts")], since: 7 }],
		);
	});
});

test("problems in a file that was not open may be older, and a server's silence is not read as no problems", (t) => {
	const patch = (text: string) => aPatch("*** Add File: src/q.ts", `+${text}`);
	const update = aPatch("*** Update File: src/q.ts", "@@", "-one", "+two");
	return withEditor(
		t,
		[calls("apply_patch", { patch: update }), calls("apply_patch", { patch: patch("x") }), says("Done.")],
		async ({ host, world }) => {
			const at = plant(world, { "src/q.ts": "one\n" });
			const error = { path: at("src/q.ts"), position: position(0), severity: "error", message: "Odd." };
			let changes = 0;
			answer = (_method, { since }: { readonly since?: number }) => {
				if (since === undefined) return { ...NOTHING, unchecked: [at("src/q.ts")] };
				changes += 1;
				return changes === 1 ? { ...NOTHING, problems: [error] } : { ...NOTHING, unchecked: [at("src/q.ts")] };
			};
			const [first, second] = await outputsOf(host);
			assert.equal(
				first,
				"Changed:\nM src/q.ts (+1 -1)\nErrors in files that were not open before, so they may be older:\nsrc/q.ts:1:1 error: Odd.",
			);
			assert.match(second ?? "", /^Changed:\nA src\/q\.ts \(\+1 -1\)$/);
		},
	);
});

test("usages are listed by file with their lines; closed files are left out, and outside files are only named", (t) =>
	withEditor(
		t,
		[calls("locate_symbol", { symbol: "total", path: "src/a.ts", line: 1 }), says("Done.")],
		async ({ host, world }) => {
			const at = plant(world, { ...RENAMING, "closed/key.ts": "const total = 5;\n" });
			const locations = [
				{ path: at("src/b.ts"), line: 1 },
				{ path: at("src/a.ts"), line: 0, isDefinition: true },
				{ path: join(world.outside, "library.d.ts"), line: 41 },
				{ path: at("closed/key.ts"), line: 0 },
				{ path: at("src/a.ts"), line: 1 },
			];
			answer = () => ({ locations, more: 2 });
			const [output = ""] = await outputsOf(host);
			assert.deepEqual(asked[0], {
				method: "language/locate",
				params: { of: "references", at: { path: at("src/a.ts"), position: { line: 0, character: 13 } } },
			});
			assert.deepEqual(output.split("\n"), [
				"6 usages of total in 3 files",
				"src/a.ts:1 definition  export const total = 1;",
				"src/a.ts:2  export const double = total * 2;",
				"src/b.ts:2  console.log(total);",
				"library.d.ts:42 (outside the workspace)",
				"and 2 more",
			]);
		},
	));

test("a rename is applied as one patch over all its files, and keeps their line ends", (t) =>
	withEditor(
		t,
		[calls("rename_symbol", { symbol: "total", path: "src/a.ts", line: "const total", newName: "sum" }), says("Done.")],
		async ({ host, world }) => {
			const at = plant(world, RENAMING);
			answer = (method) => (method === "language/rename" ? { files: renameTotal(at, "sum") } : NOTHING);
			assert.deepEqual(await outputsOf(host), ["Changed:\nM src/a.ts (+2 -2)\nM src/b.ts (+2 -2)"]);
			assert.equal(readFileSync(at("src/a.ts"), "utf8"), "export const sum = 1;\nexport const double = sum * 2;\n");
			assert.equal(readFileSync(at("src/b.ts"), "utf8"), 'import { sum } from "./a.ts";\r\nconsole.log(sum);\r\n');
		},
	));

test("a rename that reaches outside, does not fit or is refused changes nothing and says why", (t) => {
	const renames = ["a", "b", "c", "d"].map((newName) =>
		calls("rename_symbol", { symbol: "total", path: "src/a.ts", line: "2", newName }),
	);
	return withEditor(t, [...renames, says("Done.")], async ({ host, world }) => {
		const at = plant(world, RENAMING);
		const [a, b] = renameTotal(at, "sum");
		const replies: readonly unknown[] = [
			{ files: [a, { ...b, path: join(world.outside, "x.ts") }] },
			{ files: [{ ...a, edits: a?.edits.map((edit) => ({ ...edit, old: "tidal" })) }] },
			{ files: [], problem: "This is a keyword." },
			{ files: "all of them" },
		];
		let next = 0;
		answer = () => replies[next++];
		const outputs = await outputsOf(host);
		const expected = [
			/outside the workspace/,
			/src\/a\.ts has changed meanwhile/,
			/cannot be renamed: This is a keyword\./,
			/gave no answer/,
		];
		for (const [index, pattern] of expected.entries()) assert.match(outputs[index] ?? "", pattern);
		assert.equal(readFileSync(at("src/a.ts"), "utf8"), RENAMING["src/a.ts"]);
	});
});

test("a fix is found by the text of its line and applied as a patch; whole-file fixes are found too", (t) =>
	withEditor(
		t,
		[
			calls("code_action", { path: "src/a.ts", line: "double =" }),
			calls("code_action", { path: "src/a.ts", line: "export" }),
			calls("code_action", { path: "src/a.ts", line: 2, title: "Write it out" }),
			calls("code_action", { path: "src/a.ts", title: "Sort" }),
			says("Done."),
		],
		async ({ host, world }) => {
			const at = plant(world, RENAMING);
			const [file] = renameTotal(at, "sum");
			answer = (method, { line, title }: { readonly line?: number; readonly title?: string }) => {
				if (method !== "language/actions") return NOTHING;
				if (line === undefined) return { titles: ["Organize\nimports"], files: [] };
				return { titles: ["Write it out", "Leave it"], files: title === undefined ? [] : [file] };
			};
			const [listed, unclear, applied, missing] = await outputsOf(host);
			assert.equal(listed, "Write it out\nLeave it");
			assert.match(unclear ?? "", /^Several lines are like that\. Give line as one of:\n1: export const total/);
			assert.equal(applied, "Changed:\nM src/a.ts (+2 -2)");
			assert.match(missing ?? "", /^There is no fix with this title here\. There are:\nOrganize\\u000aimports$/);
			assert.deepEqual(
				asked.flatMap(({ method, params }) => (method === "language/actions" ? [params] : [])),
				[
					{ path: at("src/a.ts"), line: 1 },
					{ path: at("src/a.ts"), line: 1, title: "Write it out" },
					{ path: at("src/a.ts"), title: "Sort" },
				],
			);
			assert.equal(readFileSync(at("src/a.ts"), "utf8"), "export const sum = 1;\nexport const double = sum * 2;\n");
		},
	));

test("a hover is plain text, and reveals nothing about a symbol defined in a closed file", (t) => {
	const hover = () => calls("locate_symbol", { symbol: "double", path: "src/a.ts", find: "hover" });
	return withEditor(t, [hover(), hover(), says("Done.")], async ({ host, world }) => {
		const at = plant(world, { ...RENAMING, "closed/key.ts": "const total = 5;\n" });
		const places = ["src/a.ts", "closed/key.ts"].map((name) => ({ path: at(name), line: 0 }));
		let next = 0;
		answer = (method) =>
			method === "language/hover"
				? { text: "```ts\nconst double: Promise<number>\n```\n\n---\n\nSee [the page](command:evil) ![x](http://a/b)." }
				: { locations: [places[next++]], more: 0 };
		assert.deepEqual(await outputsOf(host), [
			"const double: Promise<number>\nSee the page x.",
			"It is defined in a file that you cannot read.",
		]);
		assert.deepEqual(
			asked.map(({ method }) => method),
			["language/locate", "language/hover", "language/locate"],
		);
	});
});

test("a task runs by its name, as a command in the sandbox", (t) => {
	const run = (name: string | undefined) => calls("run_task", name === undefined ? {} : { name });
	return withEditor(t, [run(undefined), run("greet"), run("none"), says("Done.")], async ({ host, world }) => {
		answer = () => ({
			tasks: [
				{ name: "greet", group: "build", command: "echo hello from $PWD", cwd: world.workspace },
				{ name: "npm: test", group: "test", command: ["npm", "test"] },
			],
		});
		const [listed, ran, missing] = await outputsOf(host);
		assert.equal(listed, "greet (build): echo hello from $PWD\nnpm: test (test): npm test");
		assert.match(ran ?? "", new RegExp(`hello from ${world.workspace}`));
		assert.match(missing ?? "", /^There is no task none\. Tasks:\ngreet/);
	});
});

test("tasks of two folders with one name are told apart by their folder, and a task runs with its variables", (t) => {
	const run = (name: string) => calls("run_task", { name });
	const script = [calls("run_task", {}), run("build"), run("line"), run("words"), says("Done.")];
	return withEditor(t, script, async ({ host, world }) => {
		const [web, api] = ["web", "api"].map((name) => join(world.workspace, name));
		plant(world, { "web/a.ts": "", "api/a.ts": "" });
		const variables = { MODE: "it's $HOME", LEVEL: "2" };
		answer = () => ({
			tasks: [
				{ name: "build", command: "make", cwd: web },
				{ name: "build", command: "make", cwd: api },
				{ name: "line", command: 'true && echo "$MODE $LEVEL"', cwd: web, variables },
				{ name: "words", command: ["printenv", "MODE"], cwd: web, variables },
			],
		});
		const [listed = "", several = "", line, words] = await outputsOf(host);
		const builds = `build in ${web}: make\nbuild in ${api}: make`;
		assert.ok(
			listed.startsWith(`${builds}\nline in ${web}: export MODE='it'\\''s $HOME' LEVEL='2'; true && echo`),
			listed,
		);
		assert.equal(several, `Several tasks are called build. Use run_command:\n${builds}`);
		assert.match(line ?? "", /it's \$HOME 2/);
		assert.match(words ?? "", /it's \$HOME/);
	});
});

test("while a change to build files awaits review, the editor opens no file and lists no task for the model", (t) => {
	const usages = (path: string) => calls("locate_symbol", { symbol: "total", path, line: 1 });
	const script = [
		calls("apply_patch", { patch: aPatch("*** Add File: eslint.config.mjs", "+export default [];") }),
		calls("apply_patch", { patch: aPatch("*** Add File: src/new.ts", "+export {};") }),
		usages("src/a.ts"),
		calls("problems", { paths: ["src/a.ts"] }),
		calls("run_task", { task: "build" }),
		calls("read_file", { path: "latin.txt" }),
		usages("src/b.ts"),
		says("Done."),
		usages("src/a.ts"),
		says("Again."),
	];
	return withEditor(t, script, async ({ host, world }) => {
		const at = plant(world, RENAMING);
		writeFileSync(at("latin.txt"), Buffer.from("f\xfcr\n", "latin1"));
		const textDocument = {
			uri: pathToFileURL(at("src/b.ts")).href,
			languageId: "typescript",
			version: 1,
			text: RENAMING["src/b.ts"],
		};
		host.notifyRaw("textDocument/didOpen", { textDocument });
		answer = (method) => (method === "language/locate" ? { locations: [], more: 0 } : NOTHING);
		asked.length = 0;
		const threadId = await aThread(host);
		const { published } = await runTurn(host, threadId, "Go on.");
		const outputs = published
			.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []))
			.filter(isCall)
			.map(({ output }) => output ?? "");
		const why = /eslint\.config\.mjs can run with the build, and the user has not reviewed your change of it\./;
		assert.deepEqual(
			outputs.map((output) => why.test(output)),
			[true, false, true, true, true, false, false],
			outputs.join("\n\n"),
		);
		const opening = asked.filter(
			({ method, params }) => method !== "language/problems" || Object.hasOwn(params as object, "since"),
		);
		assert.deepEqual(
			opening.map(({ method, params }) => [method, (params as { at?: { path: string } }).at?.path]),
			[["language/locate", at("src/b.ts")]],
			"what is open already is asked about",
		);

		await host.request(reviewKeep, { threadId });
		asked.length = 0;
		await runTurn(host, threadId, "Again.");
		assert.deepEqual(
			asked.map(({ method }) => method),
			["language/locate"],
		);
	});
});
