import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createFileWatch } from "../../../agent-host/workspace/files/watch-files.ts";

const scratch = mkdtempSync(join(tmpdir(), "vitrine-watch-"));
after(() => rmSync(scratch, { recursive: true }));

/** What a command replaces the folder `lib` with right after it was listed. */
const SWAPS: Readonly<Record<string, (lib: string, outside: string) => void>> = {
	"a link to a folder outside": (lib, outside) => symlinkSync(outside, lib),
	"a link to itself": (lib) => symlinkSync(lib, lib),
	"a file": (lib) => writeFileSync(lib, "no folder"),
};

for (const [what, swap] of Object.entries(SWAPS)) {
	test(`a folder that becomes ${what} while it is looked at leads nowhere`, async () => {
		const folder = mkdtempSync(join(scratch, "w-"));
		const [workspace, outside] = [join(folder, "ws"), join(folder, "outside")];
		for (const place of [join(workspace, "lib"), outside]) mkdirSync(place, { recursive: true });
		writeFileSync(join(workspace, "lib/a.txt"), "a");
		writeFileSync(join(outside, "a.txt"), "secret");
		let isSwapped = true;
		// The folder may be opened by another path than its real one.
		symlinkSync(workspace, join(folder, "opened"));
		const lib = join(folder, "opened/lib");
		const mayChange = () => {
			if (!isSwapped) {
				isSwapped = true;
				renameSync(lib, `${lib}-before`);
				swap(lib, outside);
			}
			return true;
		};
		const watch = createFileWatch({ folders: [join(folder, "opened")], mayChange });
		await watch.remember();
		writeFileSync(join(workspace, "lib/a.txt"), "changed");
		isSwapped = false;
		const { changed } = await watch.compare();
		const contents = changed.map(({ before, after }) => `${before}, ${after}`).join("; ");
		assert.doesNotMatch(contents, /secret/);
		writeFileSync(join(workspace, "b.txt"), "b");
		assert.match(JSON.stringify((await watch.compare()).changed.map(({ path }) => path)), /b\.txt/);
	});
}
