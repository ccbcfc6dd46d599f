import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import type { createPlanFiles, PlanFiles } from "../../../../extension/plan/plan-files.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

const THREAD = "thread-1" as ThreadId;
const PLAN = "/home/plans/thread-1/Plan.md";
const EDITED = "/home/plans/thread-1/Plan (edited).md";

interface PaperEdit {
	readonly text: string;
}

/** Plan files over a disk of paper; each call stands for a window that opens with the same disk and memory. */
async function openDesk() {
	const disk = new Map<string, string>();
	const memory = new Map<string, unknown>();
	const edits = new WeakMap<object, { readonly path: string; readonly all: readonly PaperEdit[] }>();
	const loaded = await loadOverPaper<{ readonly createPlanFiles: typeof createPlanFiles }>(
		["extension/plan/plan-files.ts"],
		{
			Uri: { joinPath: ({ path }: { path: string }, ...more: string[]) => ({ path: [path, ...more].join("/") }) },
			Range: class {},
			TextEdit: { replace: (_: unknown, text: string): PaperEdit => ({ text }) },
			WorkspaceEdit: class {
				set({ path }: { readonly path: string }, all: readonly PaperEdit[]): void {
					edits.set(this, { path, all });
				}
			},
			workspace: {
				fs: {
					stat: async ({ path }: { readonly path: string }) => {
						if (!disk.has(path)) throw new Error("FileNotFound");
					},
					writeFile: async ({ path }: { readonly path: string }, bytes: Uint8Array) =>
						disk.set(path, new TextDecoder().decode(bytes)),
				},
				openTextDocument: async (uri: { readonly path: string }) => ({
					uri,
					getText: () => disk.get(uri.path) ?? "",
					lineCount: 1,
					isDirty: false,
					save: async () => true,
				}),
				applyEdit: async (edit: object) => {
					const { path, all } = edits.get(edit) ?? { path: "", all: [] };
					for (const { text } of all) disk.set(path, text);
					return true;
				},
			},
		},
	);
	const openWindow = (): PlanFiles =>
		loaded.createPlanFiles(
			{ path: "/home" } as never,
			{
				get: (key: string, none: unknown) => memory.get(key) ?? none,
				update: async (key: string, value: unknown) => memory.set(key, value),
			} as never,
		);
	return { disk, openWindow };
}

test("a plan that the user has not edited is replaced without a copy, even after a window reload", async () => {
	const { disk, openWindow } = await openDesk();
	await openWindow().write(THREAD, "1. First\n");
	assert.equal(await openWindow().write(THREAD, "1. Second\n"), undefined);
	assert.deepEqual([...disk], [[PLAN, "1. Second\n"]]);
});

test("the user's edits to a plan are kept when another plan replaces it", async () => {
	const { disk, openWindow } = await openDesk();
	await openWindow().write(THREAD, "1. First\n");
	disk.set(PLAN, "1. My own\n");
	assert.equal((await openWindow().write(THREAD, "1. Second\n"))?.path, EDITED);
	assert.equal(disk.get(EDITED), "1. My own\n");
	await openWindow().write(THREAD, "1. Third\n");
	assert.equal(disk.get(EDITED), "1. My own\n", "a plan of the agent does not take its place");
});
