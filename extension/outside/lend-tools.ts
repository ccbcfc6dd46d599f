import * as vscode from "vscode";
import { LentTool, toolLend } from "../../agent-host/protocol/host/lent-tools.ts";
import { t } from "../../l10n/t.ts";
import { describeFailure } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";

/** The prefix of their names in the manifest: the editor's list has those of all extensions. */
const PREFIX = "vitrine_";
/** What a person reads of the arguments while a tool runs. */
const MAX_SHOWN_CHARS = 80;

/** Lends reading tools to other agents of the editor. The host runs them under Vitrine's own permissions. */
export function lendTools(host: Pick<HostClient, "request">): vscode.Disposable {
	return vscode.Disposable.from(
		...LentTool.options.map((tool) => vscode.lm.registerTool(PREFIX + tool, lend(host, tool))),
	);
}

function lend(host: Pick<HostClient, "request">, tool: LentTool): vscode.LanguageModelTool<object> {
	return {
		prepareInvocation: ({ input }) => ({ invocationMessage: describe(tool, input) }),
		invoke: async ({ input }, token) => {
			const params = { tool, arguments: JSON.stringify(input ?? {}) };
			const { ok, text } = await host.request(toolLend, params, { token }).catch((error: unknown) => {
				throw new Error(describeFailure(error));
			});
			if (!ok) throw new Error(text);
			return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
		},
	};
}

/** Plain text: a path could hold Markdown. */
function describe(tool: LentTool, input: object): string {
	const { path, pattern } = input as { readonly path?: unknown; readonly pattern?: unknown };
	switch (tool) {
		case "read_file":
			return t("Reading {0}", show(path));
		case "list_files":
			return t("Listing files in {0}", show(path ?? "."));
		case "search_files":
			return t("Searching files for {0}", show(pattern));
	}
}

function show(value: unknown): string {
	return String(value)
		.replaceAll(/[\p{C}\p{Z}]+/gu, " ")
		.slice(0, MAX_SHOWN_CHARS);
}
