import * as vscode from "vscode";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import type { AskedInput } from "../../facts/server-inputs.ts";
import { withoutLinks } from "../../facts/show-message.ts";
import { asLabel } from "../activity/activity-words.ts";

/** Asks for a value that an MCP server needs, and says where it goes. */
export async function enterInput({ server, place, input }: AskedInput): Promise<string | undefined> {
	const title = t("MCP Server {0}", server);
	const prompt = [asLabel(input.description ?? input.id), t("Goes to: {0}", asLabel(place))].join(" · ");
	if (input.options !== undefined) {
		const rows = input.options.map((option) => ({ label: withoutIcons(asLabel(option)), option }));
		return (await vscode.window.showQuickPick(rows, { title, placeHolder: prompt, ignoreFocusOut: true }))?.option;
	}
	return vscode.window.showInputBox({
		...{ title, prompt: withoutLinks(prompt), password: input.password, ignoreFocusOut: true },
		...(input.default !== undefined && !input.password && { value: input.default }),
	});
}
