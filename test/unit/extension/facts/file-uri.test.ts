import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type * as fileUris from "../../../../extension/facts/file-uri.ts";
import type * as pendingChanges from "../../../../extension/review/pending-changes.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-uris-")));
after(() => rmSync(folder, { recursive: true, force: true }));
const [real, link, other] = ["project", "link", "other"].map((name) => join(folder, name)) as [string, string, string];
mkdirSync(join(real, "src"), { recursive: true });
mkdirSync(other);
symlinkSync(real, link);

async function load(...opened: readonly string[]) {
	const file = (fsPath: string) => ({ scheme: "file", fsPath, toString: () => `file://${fsPath}` });
	const workspaceFolders = opened.map((path) => ({ name: path, uri: file(path) }));
	const { fileUri, hostPath, isAt } = await loadOverPaper<typeof fileUris & typeof pendingChanges>(
		["extension/facts/file-uri.ts", "extension/review/pending-changes.ts"],
		{ l10n: {}, Uri: { file }, workspace: { workspaceFolders } },
	);
	return {
		hostPathOf: (fsPath: string) => hostPath({ fsPath }),
		pathOf: (path: string) => fileUri(path).fsPath,
		isAt: (at: string, path: string) => isAt(file(at) as never, path),
	};
}

test("a file in a folder that was opened through a link has the link's path in the editor", async () => {
	const { pathOf } = await load(other, link);
	assert.deepEqual([`${real}/src/a.ts`, `${other}/b.ts`, "/elsewhere/c.ts", `${link}/d.ts`].map(pathOf), [
		...[`${link}/src/a.ts`, `${other}/b.ts`, "/elsewhere/c.ts", `${link}/d.ts`],
	]);
});

test("the host has the real path of a file in a folder that was opened through a link", async () => {
	const { hostPathOf } = await load(other, link);
	assert.deepEqual([`${link}/src/a.ts`, `${other}/b.ts`, "/elsewhere/c.ts", `${real}/d.ts`].map(hostPathOf), [
		...[`${real}/src/a.ts`, `${other}/b.ts`, "/elsewhere/c.ts", `${real}/d.ts`],
	]);
});

test("a file in a folder that was opened by its real path keeps it, even if a link to the folder is open as well", async () => {
	const { pathOf } = await load(link, real);
	assert.equal(pathOf(`${real}/src/a.ts`), `${real}/src/a.ts`);
});

test("changes in a folder that was opened through a link belong to the file under either path", async () => {
	const { isAt } = await load(link);
	assert.deepEqual(
		[link, real, other].map((place) => isAt(`${place}/src/a.ts`, `${real}/src/a.ts`)),
		[true, true, false],
	);
});
