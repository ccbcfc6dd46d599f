import { describeError } from "../../capabilities/servers/load.ts";
import {
	describeEditorTools,
	type OfferedEditorTools,
	offerEditorTools,
} from "../../capabilities/servers/offer-editor-tools.ts";
import { readResult } from "../../capabilities/servers/read-result.ts";
import { EDITOR_AS_SERVER } from "../../envelope/envelope.ts";
import type { Observed } from "../../envelope/resolve-envelope.ts";
import { findForbidding } from "../../permissions/resolve/limit-servers.ts";
import type { Managed } from "../../protocol/settings/managed-limits.ts";
import type { ToolPorts } from "../../tools/tool-ports.ts";
import { type Facts, layerSettings } from "../facts.ts";
import type { Ports } from "../ports/ports.ts";

/** A turn waits no longer than this for the editor's list. */
const LIST_MS = 5_000;
/** However long the user needs for the editor's own question, a call ends after this. */
const MAX_CALL_MS = 3_600_000;

/** Tools that other extensions and the editor's MCP servers offer, as turns use them. */
export interface EditorTools {
	/** The servers' offers with those tools that the user has named. None in a workspace that is not trusted. */
	readonly add: (servers: Observed["servers"], off: readonly string[]) => Promise<Observed["servers"]>;
	readonly call: ToolPorts["callServer"];
}

export function createEditorTools(
	facts: Pick<Facts, "settings" | "trusted" | "hasTools">,
	ports: Pick<Ports, "editorTools" | "setTimer" | "log">,
	limits: () => Promise<readonly Managed[]>,
): EditorTools {
	const within = async <T>(ms: number, signals: readonly AbortSignal[], work: (signal: AbortSignal) => Promise<T>) => {
		const late = new AbortController();
		const cancel = ports.setTimer(ms, () => late.abort(new Error("The editor took too long.")));
		try {
			return await work(AbortSignal.any([late.signal, ...signals]));
		} finally {
			cancel();
		}
	};
	const list = async (signals: readonly AbortSignal[] = []): Promise<OfferedEditorTools> => {
		const names = facts.trusted && facts.hasTools ? layerSettings(facts.settings).editorTools : [];
		if (names.length === 0 || findForbidding(EDITOR_AS_SERVER, await limits()) !== undefined) return NOTHING;
		const { tools } = await within(LIST_MS, signals, (signal) => ports.editorTools.list({ names }, signal));
		return offerEditorTools(tools, names);
	};
	return {
		async add(servers, off) {
			if (off.includes(EDITOR_AS_SERVER)) return servers;
			const { tools, notes } = await list().catch((error: unknown) => {
				ports.log("warning", `The editor did not list its tools: ${describeError(error)}`);
				return NOTHING;
			});
			for (const note of notes) ports.log("info", `Tools of the editor: ${note}`);
			const { listed, found } = servers.offers;
			return {
				...servers,
				offers: {
					listed: [...listed, ...describeEditorTools(tools, "listed")],
					found: [...found, ...describeEditorTools(tools, "found")],
				},
				tools: [...servers.tools, ...tools],
			};
		},
		call:
			({ tool, input }) =>
			async (signal) => {
				try {
					const { tools } = await list([signal]);
					if (!tools.some(({ digest }) => digest === tool.digest))
						return { ok: false, reason: `The editor no longer offers ${tool.tool} as it did.` };
					const asked = { name: tool.tool, input: { ...input } };
					const raw = await within(MAX_CALL_MS, [signal], (stop) => ports.editorTools.call(asked, stop));
					const { ok, text, image } = readResult(raw);
					return { ...(ok ? { ok, text } : { ok, reason: text }), ...(image && { image }) };
				} catch (error) {
					signal.throwIfAborted();
					return { ok: false, reason: `${tool.tool} failed: ${describeError(error)}` };
				}
			},
	};
}

const NOTHING: OfferedEditorTools = { tools: [], notes: [] };
