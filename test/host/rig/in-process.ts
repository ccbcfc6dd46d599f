import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { EditorModels } from "../../../agent-host/model/wires/editor/editor.ts";
import type { ApprovalDecision } from "../../../agent-host/protocol/approval/approval.ts";
import { HostOptions } from "../../../agent-host/protocol/host/host-options.ts";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import { SYSTEM_PORTS } from "../../../agent-host/session/ports/system-ports.ts";
import type { Session } from "../../../agent-host/session/session.ts";
import { openSession } from "../../../agent-host/surfaces/open-session.ts";
import { NO_DOCUMENTS } from "../../../agent-host/workspace/apply/open-documents.ts";
import { type FakeModel, type Script, startFakeModel } from "../../support/fake-model.ts";
import { NO_EDITOR, NO_EDITOR_TOOLS } from "../../support/no-editor.ts";
import { findRipgrepFolder } from "./find-ripgrep.ts";
import { pointAt } from "./with-host.ts";

export interface InProcess {
	readonly session: Session;
	readonly threadId: ThreadId;
	readonly model: FakeModel;
	readonly workspace: string;
	readonly published: readonly PublishedEvent[];
}

export interface InProcessOptions {
	readonly script: Script;
	/** Without it the turns go to the fake model. */
	readonly editorModels?: EditorModels;
	readonly settings?: PartialSettings;
	readonly files?: Readonly<Record<string, string>>;
	readonly answer?: ApprovalDecision;
	/** The session's own clock; without it, one that stands still. */
	readonly now?: () => number;
}

const NO_EDITOR_MODELS: EditorModels = {
	list: async () => [],
	stream: async () => ({ status: "failed", code: "unavailable", message: "" }),
	countTokens: async () => 0,
};

/** A session with this machine's disk and sandbox in the process of the test, so that the test sees what the host reads. */
export async function openInProcess(t: TestContext, options: InProcessOptions): Promise<InProcess> {
	const root = mkdtempSync(join(realpathSync(tmpdir()), "vitrine-in-process-"));
	const workspace = join(root, "work");
	mkdirSync(workspace);
	for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(workspace, name), text);
	const model = await startFakeModel(options.script);
	let session: Session | undefined;
	t.after(async () => {
		// First what still writes to the folders.
		await session?.close();
		await model.stop();
		rmSync(root, { recursive: true, force: true });
	});
	const tools = findRipgrepFolder();
	const published: PublishedEvent[] = [];
	const start = Date.now();
	session = await openSession(
		[workspace],
		HostOptions.parse({
			home: join(root, "home"),
			trusted: true,
			locale: "de",
			asksUser: true,
			knowsLanguages: true,
			hasTools: false,
			settings: pointAt(model, options.settings),
			...(tools === undefined ? {} : { ripgrep: join(tools, "rg") }),
		}),
		{
			...SYSTEM_PORTS,
			// The session's own clock, which nobody may go round.
			now: options.now ?? (() => start),
			secret: async () => undefined,
			ask: async ({ digest }) => ({ decision: options.answer ?? "deny", digest }),
			question: () => Promise.reject(new Error("nobody is there to be asked")),
			serverInput: async () => undefined,
			signIn: {
				credentials: async () => ({}),
				keepCredentials: async () => ({}),
				redirect: () => Promise.reject(new Error("There is no browser.")),
				authorize: async () => ({}),
			},
			editor: NO_EDITOR,
			editorTools: NO_EDITOR_TOOLS,
			editorModels: options.editorModels ?? NO_EDITOR_MODELS,
			documents: NO_DOCUMENTS,
			publish: (_, event) => published.push(event),
			waitForDrain: () => undefined,
			processesChanged: () => undefined,
			serversChanged: () => undefined,
			statusChanged: () => undefined,
			warn: () => undefined,
			log: () => undefined,
		},
		new Map(),
	);
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	return { session, threadId, model, workspace, published };
}
