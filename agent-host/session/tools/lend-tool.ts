import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { createReadLog } from "../../patch/read-log.ts";
import { decide } from "../../permissions/decide/decide.ts";
import type { toolLend } from "../../protocol/host/lent-tools.ts";
import type { ParsedParamsOf, ResultOf } from "../../protocol/method.ts";
import { TOOLS } from "../../tools/catalog.ts";
import type { PatchPorts, ToolPorts } from "../../tools/tool-ports.ts";
import type { OpenDocuments } from "../../workspace/apply/open-documents.ts";
import type { BindPolicy } from "../../workspace/files/bind-policy.ts";
import type { OpenText } from "../../workspace/files/open-text.ts";
import type { RunRipgrep } from "../../workspace/files/search.ts";
import { createToolPorts } from "./file-ports.ts";

/** The most that another agent gets at once, in characters. */
const MAX_LENT_CHARS = 40_000;

export type LendTool = (
	params: ParsedParamsOf<typeof toolLend>,
	signal: AbortSignal,
) => Promise<ResultOf<typeof toolLend>>;

/** Runs reading tools outside of any thread, under the same policy and the same verdict as in a new one. */
export function createLendTool(options: {
	/** What a turn of a new thread would be sealed with now. */
	readonly sealNew: () => Promise<TurnEnvelope>;
	readonly bind: BindPolicy;
	readonly ripgrep: RunRipgrep | undefined;
	readonly documents: OpenText;
	readonly editor: Pick<OpenDocuments, "encodingOf" | "isUnsaved">;
}): LendTool {
	const { sealNew, bind, ripgrep, documents, editor } = options;
	return async ({ tool: name, arguments: given }, signal) => {
		const tool = TOOLS.find((one) => one.name === name && one.needs === "read");
		if (tool === undefined) return refuse(`${name} is not available.`);
		const { workspace, policy } = await sealNew();
		const prepared = tool.prepare(given, workspace.cwd ?? "/");
		if ("problem" in prepared) return refuse(prepared.problem);
		const binding = bind(policy.value);
		// Nobody patches here, and what another agent reads does not count as read by ours.
		const apart = { patches: {} as PatchPorts, reads: createReadLog() };
		const files = createToolPorts(() => binding, ripgrep, documents, editor, apart);
		// The tools that are lent reach the disk through these ports only.
		const found = await prepared.look(files as unknown as ToolPorts);
		const verdict = decide(found.access, await binding);
		if (found.access.kind !== "read") return refuse(`${name} is not available.`);
		if (verdict.kind !== "allow") return refuse(verdict.reason.text);
		const outcome = await found.run(signal, () => undefined);
		return outcome.ok ? { ok: true, text: bound(outcome.text) } : refuse(outcome.reason);
	};
}

function refuse(reason: string): ResultOf<typeof toolLend> {
	return { ok: false, text: bound(reason) };
}

function bound(text: string): string {
	if (text.length <= MAX_LENT_CHARS) return text;
	return `${text.slice(0, MAX_LENT_CHARS).toWellFormed()}\n[${text.length - MAX_LENT_CHARS} more characters]`;
}
