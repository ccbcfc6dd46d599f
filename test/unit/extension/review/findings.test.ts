import assert from "node:assert/strict";
import { test } from "node:test";
import type { createReviewFindings } from "../../../../extension/review/findings.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

test("findings of a thread opened before the host started are shown once it has", async () => {
	const shown = new Map<string, number>();
	const onNothing = () => ({ dispose: () => undefined });
	const { createReviewFindings: create } = await loadOverPaper<{
		readonly createReviewFindings: typeof createReviewFindings;
	}>(["extension/review/findings.ts"], {
		EventEmitter: PaperEmitter,
		DiagnosticSeverity: {},
		CodeActionKind: {},
		Range: class {},
		Diagnostic: class {},
		Uri: { file: (path: string) => path },
		workspace: { workspaceFolders: [{ name: "app", uri: { scheme: "file", fsPath: "/app" } }] },
		languages: {
			createDiagnosticCollection: () => ({
				clear: () => shown.clear(),
				set: (file: string, of: readonly unknown[]) => shown.set(file, of.length),
			}),
			registerCodeActionsProvider: onNothing,
		},
	});
	const states = new PaperEmitter();
	let state = "starting";
	const finding = { severity: "error", path: "a.ts", line: 1, title: "Odd", reason: "It is." };
	const call = { kind: "toolCall", callId: "1", name: "report_findings", status: "completed" };
	const item = { ...call, arguments: JSON.stringify({ findings: [finding] }) };
	const events = [{ seq: 1, at: 1, event: { type: "itemCompleted", item } }];
	const host = {
		state: () => ({ state }),
		onDidChangeState: states.event,
		onThreadEvent: onNothing,
		request: async () => ({ events, last: events.length }),
	};
	const panel = { threadId: () => "thread-1", onDidChangeThread: onNothing };
	create(host as never, panel as never, { get: (_: string, none: unknown) => none } as never);
	assert.equal(shown.size, 0);
	state = "ready";
	states.fire({ state });
	await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual([...shown], [["/app/a.ts", 1]]);
});
