import assert from "node:assert/strict";
import { test } from "node:test";
import type { writeCommitMessage } from "../../../../extension/commands/chat/commit-message.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

class Uri {
	readonly path: string;
	constructor(path: string) {
		this.path = path;
	}
	toString(): string {
		return `file://${this.path}`;
	}
}

/** Two open repositories; the second is the one that Source Control shows. */
async function writeFor(from: unknown) {
	const repositories = ["/one", "/two"].map((path) => ({
		rootUri: new Uri(path),
		ui: { selected: path === "/two" },
		inputBox: { value: "" },
		diff: async () => `diff --git a/a.ts b/a.ts\n+in ${path}\n`,
		log: async () => [],
	}));
	const loaded = await loadOverPaper<{ readonly writeCommitMessage: typeof writeCommitMessage }>(
		["extension/commands/chat/commit-message.ts"],
		{
			...{ Uri, ProgressLocation: {}, workspace: { isTrusted: true } },
			extensions: { getExtension: () => ({ isActive: true, exports: { getAPI: () => ({ repositories }) } }) },
			window: {
				withProgress: (_: unknown, work: (progress: unknown, token: object) => unknown) => work({}, {}),
			},
		},
	);
	const sent: string[] = [];
	const host = {
		request: async (_: unknown, { diff }: { readonly diff: string }) => {
			sent.push(...(diff.match(/in .*/) ?? []));
			return { text: "Fix it" };
		},
	};
	const done = await loaded.writeCommitMessage({ host, panel: { threadId: () => undefined } } as never, from).then(
		() => "written",
		(error: Error) => error.message,
	);
	return { done, sent, boxes: repositories.map(({ inputBox }) => inputBox.value) };
}

test("a commit message is for the button's repository, or from the palette for the selected one", async () => {
	assert.deepEqual(await writeFor({ rootUri: new Uri("/one") }), {
		...{ done: "written", sent: ["in /one"], boxes: ["Fix it", ""] },
	});
	assert.deepEqual(await writeFor(undefined), { done: "written", sent: ["in /two"], boxes: ["", "Fix it"] });
});

test("if the repository is no longer open, another one's changes are not sent", async () => {
	assert.deepEqual(await writeFor({ rootUri: new Uri("/closed") }), {
		...{ done: "No Git repository found.", sent: [], boxes: ["", ""] },
	});
});
