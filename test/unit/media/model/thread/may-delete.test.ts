import assert from "node:assert/strict";
import { test } from "node:test";
import { mayDelete } from "../../../../../media/model/thread/may-delete.ts";

test("a command that can delete files is recognized, alone, in a list, quoted or by option", () => {
	const deleting = [
		"rm -rf docs test/tax.test.js",
		"cd src && rm a.ts",
		"/bin/rm a",
		'bash -c "rm a"',
		"find . -name '*.orig' -delete",
		"ls | xargs rm",
		"git clean -fd",
		"git -C sub checkout -- .",
		"rsync -a --delete a/ b/",
		"python -c 'import shutil; shutil.rmtree(\"x\")'",
		"Remove-Item x",
	];
	assert.deepEqual(
		deleting.filter((command) => !mayDelete(command)),
		[],
	);
});

test("reading and testing delete nothing", () => {
	const quiet = [
		"ls -la",
		"cat form.ts",
		"npm test",
		"git status",
		"git log -- rmdir.ts",
		"grep -rn alarm src",
		"echo format",
	];
	assert.deepEqual(quiet.filter(mayDelete), []);
});
