import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { contextInspect, policyShow } from "../../agent-host/protocol/thread/context.ts";
import {
	reviewComment,
	reviewKeep,
	reviewList,
	reviewReject,
	threadRestore,
	threadRestoreRedo,
} from "../../agent-host/protocol/thread/review.ts";
import {
	threadDelete,
	threadExport,
	threadFork,
	threadImport,
	threadRead,
} from "../../agent-host/protocol/thread/thread.ts";
import { calls, callsAll, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { inputLines } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";

const withShared = shareHost({ approve: () => assert.fail("nobody is asked") });

const LINES = ["one", "two", "three", "four", "five", "six", "seven"];
const crlf = (lines: readonly string[]) => `\uFEFF${lines.join("\r\n")}\r\n`;
const THREE = aPatch(
	...["*** Update File: a.txt", "@@", " one", "-two", "+TWO", "@@", " three", "-four", "+FOUR", "+4"],
	...["@@", " five", "-six", "+SIX"],
);

async function hunksOf(host: HostProcess, threadId: ThreadId) {
	const { files } = await host.request(reviewList, { threadId });
	return files.flatMap((file) => file.hunks.map((hunk) => ({ path: file.path, ...hunk })));
}

test("the middle of three hunks is rejected in a CRLF file that the user has edited since; the model hears of it once", (t) => {
	const script = [calls("apply_patch", { patch: THREE }), says("Done."), says("I see."), says("Again.")];
	return withShared(t, script, async ({ host, model, world, another }) => {
		const path = join(world.workspace, "a.txt");
		writeFileSync(path, crlf(LINES));
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Patch it.");
		// The user puts a line above everything, one between two hunks, and changes a line of the third.
		writeFileSync(path, crlf(["zero", "one", "TWO", "three", "mine", "FOUR", "4", "five", "Six!", "seven"]));
		const found = await hunksOf(host, threadId);
		assert.deepEqual(
			found.map(({ state, line, removed, added }) => [state, line, removed, added]),
			[
				["pending", 3, ["two"], ["TWO"]],
				["pending", 6, ["four"], ["FOUR", "4"]],
				["changed", 9, ["six"], ["Six!"]],
			],
		);
		const [first, middle, third] = found.map(({ id }) => id);
		assert.ok(first && middle && third);
		assert.deepEqual(await host.request(reviewReject, { threadId, hunks: [middle] }), { done: 1, left: [] });
		const without = ["zero", "one", "TWO", "three", "mine", "four", "five", "Six!", "seven"];
		assert.equal(readFileSync(path, "utf8"), crlf(without));

		const again = await host.request(reviewReject, { threadId, hunks: [middle] });
		assert.equal(again.done, 0, "a hunk that is gone is stale");
		assert.match(again.left[0] ?? "", /no longer as shown/);
		const commented = async () => (await hunksOf(host, threadId)).map(({ comment }) => comment);
		await host.request(reviewComment, { threadId, hunk: first, text: "Good." });
		await host.request(reviewComment, { threadId, hunk: third, text: "Never mind." });
		assert.deepEqual(await commented(), ["Good.", "Never mind."], "a comment is there until it is sent");
		await host.request(reviewComment, { threadId, hunk: third, text: " " });
		await host.request(reviewComment, { threadId, hunk: first, text: "Good, but why?" });
		assert.deepEqual(await commented(), ["Good, but why?", undefined], "edited, and removed");
		assert.deepEqual(await host.request(reviewKeep, { threadId, hunks: [first] }), { done: 1, left: [] });
		assert.equal(readFileSync(path, "utf8"), crlf(without), "keeping changes no file");

		await host.killHard();
		const next = await another();
		assert.deepEqual(
			(await hunksOf(next, threadId)).map(({ removed, added }) => [removed, added]),
			[[["six"], ["Six!"]]],
			"the judgement outlives the host",
		);
		await runTurn(next, threadId, "What now?");
		const told = inputLines(model.requests[2] ?? assert.fail()).filter((line) => line.startsWith("user/user-edits"));
		assert.equal(told.length, 1);
		assert.doesNotMatch(told[0] ?? "", /Good\.|Never mind/);
		for (const words of [
			"(rejected): ⏎ -four ⏎ +FOUR ⏎ +4",
			"(changed): ⏎ -SIX ⏎ +Six!",
			"(commented)",
			"The user says: Good, but why?",
		]) {
			assert.ok(told[0]?.includes(words), `${words} in ${told[0]}`);
		}
		await runTurn(next, threadId, "And now?");
		const later = inputLines(model.requests[3] ?? assert.fail()).filter((line) => line.startsWith("user/user-edits"));
		assert.deepEqual(later, told, "told once");

		// Rejecting everything leaves hunks that the user edited; naming one rejects it too.
		assert.equal((await next.request(reviewReject, { threadId })).done, 0);
		assert.equal((await next.request(reviewReject, { threadId, hunks: [third] })).done, 1);
		assert.deepEqual(await hunksOf(next, threadId), []);
		assert.match(readFileSync(path, "utf8"), /five\r\nsix\r\nseven/);
	});
});

test("what the user did to files is in the preview of the next request exactly as the model then gets it, and counts", (t) => {
	const script = [calls("apply_patch", { patch: THREE }), says("Done."), says("I see."), says("Again.")];
	return withShared(t, script, async ({ host, model, world }) => {
		writeFileSync(join(world.workspace, "a.txt"), crlf(LINES));
		const threadId = await aThread(host);
		const { turnId } = await runTurn(host, threadId, "Patch it.");
		const isSentAsShown = async (prompt: string): Promise<void> => {
			const input = [{ kind: "text" as const, text: prompt }];
			const { items, tokens } = await host.request(contextInspect, { threadId });
			const { context } = await host.request(policyShow, { threadId, compiled: false });
			assert.deepEqual([items.at(-1)?.kind, context.tokens], ["user-edits", tokens]);
			const { raw = "" } = await host.request(contextInspect, { threadId, input, raw: true });
			await runTurn(host, threadId, prompt);
			assert.deepEqual(JSON.parse(raw), JSON.parse(model.requests.at(-1)?.text ?? ""));
		};
		const path = join(world.workspace, "a.txt");
		writeFileSync(path, readFileSync(path, "utf8").replace("SIX", "Six!"));
		const [first] = await hunksOf(host, threadId);
		await host.request(reviewReject, { threadId, hunks: [first?.id ?? ""] });
		await isSentAsShown("What now?");
		await host.request(threadRestore, { threadId, turnId, what: "files", overwrite: [path] });
		await isSentAsShown("And now?");
	});
});

test("files of any turn can be restored and redone, other edits are left alone, and commands' changes count", (t) => {
	const script = [
		calls("apply_patch", {
			patch: aPatch("*** Update File: a.txt", "@@", "-two", "+TWO", "*** Add File: new.txt", "+n"),
		}),
		says("One."),
		calls("run_command", {
			command: "printf 'c\\0' > made.bin; rm b.txt; printf x >> a.txt; mkdir -p node_modules; date > node_modules/x",
		}),
		says("Two."),
		says("Three."),
	];
	return withShared(t, script, async ({ host, world, another }) => {
		const at = (name: string) => join(world.workspace, name);
		const files = () =>
			Object.fromEntries(
				["a.txt", "b.txt", "new.txt", "made.bin"].map((name) => [
					name,
					existsSync(at(name)) && readFileSync(at(name), "utf8"),
				]),
			);
		writeFileSync(at("a.txt"), crlf(LINES));
		writeFileSync(at("b.txt"), "b");
		const start = files();
		const threadId = await aThread(host);
		const { turnId: first } = (await runTurn(host, threadId, "Patch.")).end;
		const between = files();
		const { turnId: second } = (await runTurn(host, threadId, "Command.")).end;
		const end = files();
		assert.deepEqual([end["b.txt"], end["made.bin"]], [false, "c\0"], "the command ran");

		await host.killHard();
		const next = await another();
		const ask = { threadId, turnId: second, what: "files" } as const;
		const preview = await next.request(threadRestore, { ...ask, preview: true });
		assert.deepEqual(
			preview.files.map(({ path, state, becomes }) => [path.slice(world.workspace.length + 1), state, becomes]).sort(),
			[
				["a.txt", "restored", "changed"],
				["b.txt", "restored", "created"],
				["made.bin", "restored", "deleted"],
			],
		);
		assert.deepEqual(files(), end, "a preview changes nothing");
		await next.request(threadRestore, ask);
		assert.deepEqual(files(), between);
		await next.request(threadRestoreRedo, { threadId });
		assert.deepEqual(files(), end, "restore and redo undo each other");

		// The user changes a file: it is left, unless it is named.
		writeFileSync(at("a.txt"), "mine");
		const back = await next.request(threadRestore, { threadId, turnId: first, what: "both" });
		assert.deepEqual(
			back.files.flatMap(({ path, state }) => (state === "conflict" ? [path] : [])),
			[at("a.txt")],
		);
		assert.equal(back.turns, 2);
		assert.deepEqual(files(), { ...start, "a.txt": "mine" });
		await next.request(threadRestore, { threadId, turnId: first, what: "files", overwrite: [at("a.txt")] });
		assert.deepEqual(files(), start);
		await next.request(threadRestoreRedo, { threadId });
		assert.equal(readFileSync(at("a.txt"), "utf8"), "mine", "what only the user had written comes back too");
		const returned = await next.request(threadRestoreRedo, { threadId });
		assert.deepEqual([returned.returned, returned.turns], [2, 0], "the conversation comes back with its files");
		assert.deepEqual(files(), { ...end, "a.txt": "mine" });
		await assert.rejects(next.request(threadRestoreRedo, { threadId }), /no restore to undo/);
		await runTurn(next, threadId, "Go on.");
		const { events } = await next.request(threadRead, { threadId });
		assert.equal(events.filter(({ event }) => event.type === "restored").length, 6);
	});
});

test("a file that comes back has the permissions that it had, after a restore, its undo and a rejected deletion", (t) => {
	const script = [
		calls("apply_patch", { patch: aPatch("*** Delete File: bits/patch.sh", "*** Delete File: bits/key") }),
		calls("run_command", {
			command: "cd bits; mv command.sh moved.sh; echo made > made.sh; chmod 750 made.sh",
		}),
		says("Done."),
	];
	return withShared(t, script, async ({ host, world }) => {
		const at = (name: string) => join(world.workspace, "bits", name);
		mkdirSync(at(""));
		for (const [name, mode] of Object.entries({ "patch.sh": 0o755, key: 0o600, "command.sh": 0o700 })) {
			writeFileSync(at(name), `${name}\n`);
			chmodSync(at(name), mode);
		}
		const modes = () =>
			Object.fromEntries(readdirSync(at("")).map((name) => [name, (statSync(at(name)).mode & 0o777).toString(8)]));
		const before = modes();
		const threadId = await aThread(host);
		const { turnId } = await runTurn(host, threadId, "Tidy up.");
		const changed = modes();
		assert.deepEqual(changed, { "moved.sh": "700", "made.sh": "750" });
		await host.request(threadRestore, { threadId, turnId, what: "files" });
		assert.deepEqual(modes(), before);
		await host.request(threadRestoreRedo, { threadId });
		assert.deepEqual(modes(), changed);
		await host.request(reviewReject, { threadId });
		assert.deepEqual(modes(), before);
	});
});

test("whatever the commands of a turn do, one by one, together and in the background, restoring undoes all of it", (t) => {
	const script = [
		calls("run_command", {
			command: "cd project; printf CHANGED > a.txt; touch -d @1000000000 a.txt; rm b.txt; ln d/one.txt hard.txt",
		}),
		callsAll([
			["run_command", { command: "cd project; mv d moved; mkdir d; echo other > d/one.txt" }],
			["run_command", { command: "cd project; echo new > new.txt; ln -s c.txt link.txt; mv c.txt renamed.txt" }],
		]),
		calls("run_command", {
			command: ["sh", "-c", "cd project; read line; echo $line > late.txt; rm e/two.txt"],
			yieldMs: 1,
		}),
		calls("run_command", { command: "cd project; rm -r f; mkdir -p g/h; echo deep > g/h/i.txt" }),
		calls("write_command_input", { processId: "p1", text: "by the background\n", waitMs: 10_000 }),
		says("Done."),
	];
	return withShared(t, script, async ({ host, world }) => {
		const at = (name: string) => join(world.workspace, "project", name);
		for (const name of ["", "d", "e", "f"]) mkdirSync(at(name));
		for (const name of ["a.txt", "b.txt", "c.txt", "d/one.txt", "e/two.txt", "f/three.txt"]) {
			writeFileSync(at(name), `${name} as it was\n`);
		}
		const files = () =>
			Object.fromEntries(
				readdirSync(at(""), { recursive: true, withFileTypes: true }).flatMap((entry) => {
					const path = join(entry.parentPath, entry.name);
					return entry.isFile() ? [[path, readFileSync(path, "utf8")]] : [];
				}),
			);
		const before = files();
		const threadId = await aThread(host);
		const { turnId } = (await runTurn(host, threadId, "Do all of that.")).end;
		assert.equal(readFileSync(at("late.txt"), "utf8"), "by the background\n");
		const changed = files();
		await host.request(threadRestore, { threadId, turnId, what: "files" });
		assert.deepEqual(files(), before);
		await host.request(threadRestoreRedo, { threadId });
		assert.deepEqual(files(), changed);
	});
});

/** Every file with its permissions and text, and where every link leads; folders count as far as there are files in them. */
function listAll(folder: string, way = ""): readonly string[] {
	const entries = readdirSync(join(folder, way), { withFileTypes: true });
	const lines = entries.flatMap((entry): readonly string[] => {
		const name = join(way, entry.name);
		const path = join(folder, name);
		if (entry.isDirectory()) return listAll(folder, name);
		if (entry.isSymbolicLink()) return [`${name} -> ${readlinkSync(path)}`];
		return [`${name} ${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, "utf8")}`];
	});
	return lines.sort();
}

/** By what a command does: what it finds, and its lines. */
const REPLACED: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
	"makes, changes, removes and replaces links": [
		["echo text > a", "ln -s a turned", "ln -s a gone", "ln -s a replaced", "echo file > file", "chmod 750 file"],
		[
			"ln -s a made",
			"ln -s /nowhere broken",
			"ln -sfn b turned",
			"rm gone replaced",
			"echo text > replaced",
			"ln -sf a file",
		],
	],
	"swaps files, folders and links": [
		[
			"mkdir kept was two",
			"echo 1 > was/a",
			"echo 2 > two/b",
			"ln -s was to-folder",
			"echo f > file",
			"echo e > empty",
		],
		[
			"rm file; mkdir -p file/in/deep file/in/nothing; echo x > file/in/deep/x",
			"rm empty; mkdir empty",
			"rm -r was; echo now > was",
			"rm -r two; ln -s kept two",
			"rm to-folder; mkdir to-folder; echo 3 > to-folder/c",
		],
	],
};

for (const [what, [before, after]] of Object.entries(REPLACED)) {
	test(`when a command ${what}, a restore brings back what was there, and its undo what the command left`, (t) => {
		const folder = what.replaceAll(" ", "-");
		const command = [`cd ${folder}`, ...after].join("; ");
		return withShared(t, [calls("run_command", { command }), says("Done.")], async ({ host, world }) => {
			const place = join(world.workspace, folder);
			mkdirSync(place);
			execFileSync("sh", ["-c", before.join("; ")], { cwd: place });
			const was = listAll(place);
			const threadId = await aThread(host);
			const { turnId } = await runTurn(host, threadId, "Go.");
			const changed = listAll(place);
			assert.notDeepEqual(changed, was);
			const { files } = await host.request(threadRestore, { threadId, turnId, what: "files", preview: true });
			assert.deepEqual(new Set(files.map(({ state }) => state)), new Set(["restored"]));
			assert.deepEqual(listAll(place), changed, "a preview changes nothing");
			await host.request(threadRestore, { threadId, turnId, what: "files" });
			assert.deepEqual(listAll(place), was);
			await host.request(threadRestoreRedo, { threadId });
			assert.deepEqual(listAll(place), changed);
		});
	});
}

test("a conversation restored without its files comes back whole, and the files stay as they are", (t) => {
	const patch = aPatch("*** Add File: talked-about.txt", "+n");
	const script = [calls("apply_patch", { patch }), says("One."), says("Two."), says("Three.")];
	return withShared(t, script, async ({ host, world, model }) => {
		const threadId = await aThread(host);
		const { turnId } = (await runTurn(host, threadId, "Patch.")).end;
		await runTurn(host, threadId, "Explain.");
		const ask = { threadId, turnId, what: "conversation" } as const;
		assert.deepEqual(await host.request(threadRestore, ask), {
			files: [],
			unsaved: [],
			turns: 2,
			returned: 0,
			agents: [],
		});
		const returned = await host.request(threadRestoreRedo, { threadId });
		assert.deepEqual(returned, { files: [], unsaved: [], turns: 0, returned: 2, agents: [] });
		assert.equal(readFileSync(join(world.workspace, "talked-about.txt"), "utf8"), "n\n");
		await runTurn(host, threadId, "Go on.");
		const said = inputLines(model.requests.at(-1) ?? assert.fail()).filter((line) =>
			/^(?:user|assistant): /.test(line),
		);
		assert.deepEqual(said, ["user: Patch.", "assistant: One.", "user: Explain.", "assistant: Two.", "user: Go on."]);
	});
});

test("snapshots lie in the home, go with their thread, and an imported one can change no file", (t) => {
	const script = [calls("apply_patch", { patch: aPatch("*** Add File: new.txt", "+n") }), says("Done.")];
	return withShared(t, script, async ({ host, world }) => {
		rmSync(join(world.workspace, "new.txt"), { force: true });
		const threadId = await aThread(host);
		const { turnId } = (await runTurn(host, threadId, "Add.")).end;
		const folder = join(world.home, "threads", `${threadId}.jsonl.files`);
		assert.equal(readdirSync(folder).length, 1);
		const { text } = await host.request(threadExport, { threadId });
		for (const copy of [await host.request(threadImport, { text }), await host.request(threadFork, { threadId })]) {
			const restored = await host.request(threadRestore, { threadId: copy.threadId, turnId, what: "files" });
			assert.deepEqual(restored.files, []);
			assert.deepEqual((await host.request(reviewList, { threadId: copy.threadId })).files, []);
		}
		assert.ok(existsSync(join(world.workspace, "new.txt")));
		await host.request(threadDelete, { threadId });
		assert.equal(existsSync(folder), false);
		rmSync(join(world.workspace, "new.txt"));
	});
});

test("patches and commands change build files without an approval, and the review marks these changes", (t) => {
	const script = [
		calls("apply_patch", {
			patch: aPatch("*** Update File: package.json", "@@", "-{}", '+{ "a": 1 }', "*** Add File: plain.txt", "+n"),
		}),
		calls("run_command", {
			command:
				"mkdir -p deep/.circleci; echo 'all:' > deep/makefile; echo x > deep/.circleci/config.yml; echo y > deep/y",
		}),
		says("Done."),
		calls("run_command", { command: "echo z > deep/z" }),
		says("Done."),
	];
	return withShared(t, script, async ({ host, world, another }) => {
		writeFileSync(join(world.workspace, "package.json"), "{}\n");
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Patch.");
		await runTurn(host, threadId, "Again.");
		const marked = ["package.json", "deep/makefile", "deep/.circleci/config.yml"].map((way) =>
			join(world.workspace, way),
		);
		const check = async (at: HostProcess) => {
			const { files } = await at.request(reviewList, { threadId });
			assert.equal(files.length, 6);
			const found = files.filter(({ runsWithBuild }) => runsWithBuild).map(({ path }) => path);
			assert.deepEqual(found.toSorted(), marked.toSorted());
			const { events } = await at.request(threadRead, { threadId });
			const told = events.flatMap(({ event }) =>
				event.type === "filesChanged" ? [event.runWithBuild?.toSorted()] : [],
			);
			assert.deepEqual(told, [marked.toSorted(), undefined], "each turn says which, or nothing");
		};
		await check(host);
		await host.killHard();
		await check(await another());
	});
});

test("in a folder that was opened through a link, what commands and patches do to a file is undone as one change", (t) => {
	const command = "cd linked; echo more >> both; rm gone; ln -sfn both link; rm file; mkdir file; echo in > file/in";
	const script = [
		calls("apply_patch", { patch: aPatch("*** Update File: linked/both", "@@", "-one", "+ONE") }),
		calls("run_command", { command: `${command}; echo top > ../at-the-top` }),
		says("Done."),
	];
	return withShared(t, script, async ({ world, another }) => {
		const folder = join(world.home, "..", "opened-too");
		symlinkSync(world.workspace, folder);
		const place = join(world.workspace, "linked");
		mkdirSync(place);
		for (const name of ["both", "gone", "file"]) writeFileSync(join(place, name), "one\n");
		symlinkSync("gone", join(place, "link"));
		const was = listAll(world.workspace);
		const host = await another({ folders: [folder] });
		const threadId = await aThread(host);
		const { turnId } = await runTurn(host, threadId, "Go.");
		const changed = listAll(world.workspace);
		const { files } = await host.request(threadRestore, { threadId, turnId, what: "files" });
		assert.deepEqual(listAll(world.workspace), was);
		const names = files.map(({ path }) => path.slice(world.workspace.length + 1)).sort();
		assert.deepEqual(names, [
			"at-the-top",
			"linked/both",
			"linked/file",
			"linked/file/in",
			"linked/gone",
			"linked/link",
		]);
		await host.request(threadRestoreRedo, { threadId });
		assert.deepEqual(listAll(world.workspace), changed);
	});
});

test("in a folder that was opened through a link, a change is found where it stands in the unsaved text", (t) => {
	const script = [
		calls("apply_patch", { patch: aPatch("*** Update File: b.txt", "@@", " one", "-two", "+TWO") }),
		says("Done."),
	];
	return withShared(t, script, async ({ world, another }) => {
		const folder = join(world.home, "..", "opened");
		symlinkSync(world.workspace, folder);
		writeFileSync(join(world.workspace, "b.txt"), "one\ntwo\n");
		const host = await another({ folders: [folder] });
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Patch it.");
		const uri = pathToFileURL(join(folder, "b.txt")).href;
		const textDocument = { uri, languageId: "plaintext", version: 1, text: "mine\none\nTWO\n" };
		host.notifyRaw("textDocument/didOpen", { textDocument });
		assert.deepEqual(
			(await hunksOf(host, threadId)).map(({ line, state }) => [line, state]),
			[[3, "pending"]],
		);
	});
});
