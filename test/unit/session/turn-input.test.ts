import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { UserInput } from "../../../agent-host/protocol/thread/turn.ts";
import { createFindFiles } from "../../../agent-host/session/find-files.ts";
import { refuseClosedTexts } from "../../../agent-host/session/start/refuse-closed-texts.ts";
import { readEditorState } from "../../../agent-host/session/start/turn-input.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-input-")));
after(() => rmSync(folder, { recursive: true }));
for (const name of ["src", "closed"]) mkdirSync(join(folder, name));
for (const name of [".env", "src/retry.ts", "src/other.ts", "closed/a.ts"]) writeFileSync(join(folder, name), "text\n");
symlinkSync(join(folder, ".env"), join(folder, "src/innocent.ts"));
symlinkSync("other.ts", join(folder, "src/.env"));

const policy = aPolicy({ permissions: { denyRead: ["**/.env", join(folder, "closed")] }, places: { roots: [folder] } });

function aSelection(path: string): UserInput {
	return { kind: "selection", path, from: 1, to: 1, text: "text" };
}

test("no attachment is lost: the last selection is the editor's, others become texts, and states are merged", () => {
	const state = readEditorState([
		{ kind: "text", text: "Why?" },
		aSelection("a.ts"),
		{ kind: "editor", activeFile: "b.ts", openFiles: [], unsavedFiles: [] },
		{ kind: "editor", openFiles: ["a.ts", "b.ts"], unsavedFiles: ["a.ts"] },
		{ kind: "file", path: "c.ts" },
		{ kind: "file", path: "c.ts" },
		{ kind: "excerpt", title: "a thread", text: "Words." },
		aSelection("b.ts"),
	]);
	assert.deepEqual(state, {
		activeFile: "b.ts",
		selection: { path: "b.ts", from: 1, to: 1, text: "text" },
		openFiles: ["a.ts", "b.ts"],
		unsavedFiles: ["a.ts"],
		problems: [],
		files: ["c.ts"],
		excerpts: [
			{ title: "a.ts lines 1 to 1", text: "text" },
			{ title: "a thread", text: "Words." },
		],
	});
});

test("text of a closed file is refused under any name that leads to it, and so is text under a closed name", async () => {
	const envelope = anEnvelope({ workspace: { cwd: folder, roots: [folder] } });
	const sealed = { workspace: envelope.workspace, policy: { ...envelope.policy, value: policy } };
	const problems: UserInput = { kind: "problems", problems: [{ path: join(folder, ".env"), line: 1, message: "x" }] };
	const named = [".env", join(folder, ".env"), "src/innocent.ts", "closed/not-saved-yet.ts", "src/.env"].map(
		aSelection,
	);
	for (const part of [...named, problems]) {
		await assert.rejects(refuseClosedTexts([part], sealed), /is blocked for the model, but text from it is attached\./);
	}
	await refuseClosedTexts([aSelection("src/retry.ts"), aSelection("src/not-saved-yet.ts")], sealed);
});

test("files are walked at the first question only, closed ones are left out, and an old list is renewed", async () => {
	let walks = 0;
	let now = 0;
	const find = createFindFiles(
		async () => {
			walks += 1;
			return { cwd: folder, roots: [folder], policy };
		},
		() => now,
	);
	assert.equal(walks, 0);
	const names = async (query: string) => (await find({ query, limit: 10, wait: true })).files.map(({ name }) => name);
	assert.deepEqual(await names("retry"), ["src/retry.ts"]);
	assert.deepEqual(await names(""), ["src/", "src/other.ts", "src/retry.ts"]);
	assert.equal(walks, 1);
	writeFileSync(join(folder, "src/retried.ts"), "");
	now = 60_000;
	assert.deepEqual(await names("retri"), [], "answered at once, from the old list");
	while ((await names("retri")).length === 0) await new Promise(setImmediate);
	assert.equal(walks, 2);
	assert.deepEqual((await find({ query: "retri", limit: 1, wait: true })).files, [
		{ name: "src/retried.ts", path: join(folder, "src/retried.ts"), kind: "file" },
	]);
});
