import * as vscode from "vscode";
import { serverSignIn, serverSignOut } from "../../../agent-host/protocol/host/server-sign-in.ts";
import { type ListedServer, serverList, serverStart, serverStop } from "../../../agent-host/protocol/host/servers.ts";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { showInformation } from "../../facts/show-message.ts";
import type { ServerRow } from "../../views/servers/servers-view.ts";
import type { Parts } from "../parts.ts";

type ServerCommand = (parts: Parts, row: ServerRow | undefined) => Promise<void>;

/** Commands on a row of the MCP Servers view; from the palette they ask for the server. */
export const SERVER_COMMANDS: Readonly<Record<string, ServerCommand>> = {
	"vitrine.startServer": async (parts, row) => {
		const chosen = await chooseServer(parts, row);
		if (chosen === undefined) return;
		const { state, reason } = await parts.host.request(serverStart, nameOne(chosen));
		if (state === "failed") throw new Error(t("{0} couldn't start: {1}", chosen.name, reason ?? ""));
	},
	"vitrine.stopServer": async (parts, row) => {
		const chosen = await chooseServer(parts, row);
		if (chosen !== undefined) await parts.host.request(serverStop, nameOne(chosen));
	},
	"vitrine.signInToServer": async (parts, row) => {
		const chosen = await chooseServer(parts, row);
		if (chosen === undefined) return;
		const { state, reason } = await parts.host.request(serverSignIn, nameOne(chosen));
		if (state === "failed") throw new Error(t("{0} couldn't start: {1}", chosen.name, reason ?? ""));
	},
	"vitrine.signOutOfServer": async (parts, row) => {
		const chosen = await chooseServer(parts, row);
		if (chosen === undefined) return;
		const { name } = chosen;
		const { signedOut } = await parts.host.request(serverSignOut, nameOne(chosen));
		const words = signedOut ? t("Signed out of {0}.", name) : t("You are not signed in to {0}.", name);
		void showInformation(words);
	},
	"vitrine.showServerOutput": async (parts, row) => {
		const chosen = await chooseServer(parts, row);
		if (chosen !== undefined) await parts.documents.open({ kind: "server", ...nameOne(chosen) });
	},
	"vitrine.clearServerInputs": async (parts, row) => {
		const name = (await chooseServer(parts, row))?.name;
		if (name === undefined) return;
		const count = await parts.serverInputs.forget(name);
		if (count > 0) await parts.host.request(serverStop, { name });
		const words = count === 0 ? t("{0} has no saved inputs.", name) : t("Cleared the saved inputs of {0}.", name);
		void showInformation(words);
	},
};

/** Files of several folders may define one of the same name. */
function nameOne({ name, file }: ListedServer): Pick<ListedServer, "name" | "file"> {
	return { name, ...(file !== undefined && { file }) };
}

async function chooseServer({ host }: Parts, row: ServerRow | undefined): Promise<ListedServer | undefined> {
	if (row?.kind === "server") return row.server;
	const { servers } = await host.request(serverList, {});
	if (servers.length === 0)
		throw new Error(t("No MCP servers are configured. Add them to vitrine.servers in your settings."));
	const rows = servers.map((server) => ({
		label: withoutIcons(server.name),
		description: withoutIcons(server.file ?? ""),
		server,
	}));
	return (await vscode.window.showQuickPick(rows, { title: t("Select MCP Server") }))?.server;
}
