import * as vscode from "vscode";
import { type ListedServer, serverList } from "../../../agent-host/protocol/host/servers.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";
import { ownSetting } from "../../facts/own-setting.ts";
import type { HostClient } from "../../host/host-client.ts";
import { asLabel } from "../activity/activity-words.ts";

const SERVERS_VIEW = "vitrine.servers";

/** A server, or a line below it: why it failed, a tool, or what is left out. */
export type ServerRow =
	| { readonly kind: "server"; readonly server: ListedServer }
	| { readonly kind: "reason" | "note" | "signIn"; readonly text: string }
	| { readonly kind: "tool"; readonly name: string; readonly description: string };

/** The MCP Servers view. It is there only if there are servers. */
export interface ServersView extends vscode.Disposable {
	readonly refresh: () => void;
}

export function createServersView(host: HostClient): ServersView {
	const changed = new vscode.EventEmitter<undefined>();
	const configured = (): object => Object(ownSetting("vitrine.servers"));
	/** Whether the workspace or a plugin has some; only the host knows, once one of them has started. */
	let isBrought = false;
	const provider: vscode.TreeDataProvider<ServerRow> = {
		onDidChangeTreeData: changed.event,
		getChildren: async (row) => {
			if (row !== undefined) return row.kind === "server" ? listBelow(row.server) : [];
			if (host.state().state === "stopped") return [];
			const { servers } = await host.request(serverList, {});
			return servers.map((server) => ({ kind: "server", server }));
		},
		getTreeItem: asTreeItem,
	};
	const view = vscode.window.createTreeView(SERVERS_VIEW, { treeDataProvider: provider });
	const refresh = (): void => {
		const hasServers = isBrought || Object.keys(configured()).length > 0;
		void vscode.commands.executeCommand("setContext", "vitrine.hasServers", hasServers);
		changed.fire(undefined);
	};
	refresh();
	const look = async (): Promise<void> => {
		// A host that cannot answer now says when there is something to see again.
		const listed = await host.request(serverList, {}).catch(() => undefined);
		if (listed === undefined) return;
		const own = configured();
		isBrought = listed.servers.some(({ name, file }) => file !== undefined || !Object.hasOwn(own, name));
		refresh();
	};
	const disposables = [view, changed, host.onServersChanged(() => void look()), host.onDidChangeState(refresh)];
	return { refresh, dispose: () => vscode.Disposable.from(...disposables).dispose() };
}

function listBelow({ state, needsMore, reason, tools = [], notes }: ListedServer): ServerRow[] {
	const more = t("Sign in again: a tool needs more access than you gave it.");
	return [
		...(state === "signIn" ? [{ kind: state, text: needsMore ? more : t("Sign in to use its tools.") }] : []),
		...(reason === undefined ? [] : [{ kind: "reason" as const, text: reason }]),
		...tools.map((tool) => ({ kind: "tool" as const, ...tool })),
		...notes.map((text) => ({ kind: "note" as const, text })),
	];
}

const STATES: Readonly<Record<ListedServer["state"], Message>> = {
	off: "Not used here",
	unasked: "Needs your approval",
	idle: "Not running",
	starting: "Starting…",
	running: "Running",
	failed: "Failed",
	signIn: "Needs you to sign in",
};

function asTreeItem(row: ServerRow): vscode.TreeItem {
	if (row.kind === "server") return serverItem(row.server);
	// Texts of servers: shown as plain labels, never as Markdown.
	const item = new vscode.TreeItem(asLabel(row.kind === "tool" ? row.name : row.text));
	item.iconPath = new vscode.ThemeIcon({ tool: "tools", reason: "error", note: "info", signIn: "account" }[row.kind]);
	if (row.kind === "tool") item.description = asLabel(row.description);
	item.tooltip = row.kind === "tool" ? `${asLabel(row.name)}\n${asLabel(row.description)}` : asLabel(row.text);
	return item;
}

function serverItem(server: ListedServer): vscode.TreeItem {
	const { name, where, kind, file, uncontained, state, signedIn, tools, reason } = server;
	const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
	const isEmpty = listBelow(server).length === 0;
	const needsUser = state === "failed" || state === "signIn";
	const item = new vscode.TreeItem(name, isEmpty ? None : needsUser ? Expanded : Collapsed);
	const counted = tools === undefined ? [] : [countOf(tools.length, "{0} tool", "{0} tools")];
	// The editor opens only a row that it does not know: a server that comes to need the user gets a new one.
	item.id = [name, file ?? "", ...(needsUser ? [state] : [])].join("\n");
	// Before what a narrow view cuts off.
	const place = uncontained ? [t("outside the sandbox")] : [];
	item.description = [t(STATES[state]), ...place, ...counted].join(", ");
	item.tooltip = [
		`${name}: ${t(STATES[state])}`,
		asLabel(where),
		...(file === undefined ? [] : [t("From {0}", asLabel(file))]),
		...(signedIn ? [t("Signed in")] : []),
		...(state === "unasked" ? [t("You are asked about it with your next message.")] : []),
		...(uncontained ? [t("Runs outside the sandbox, with your rights.")] : []),
		...(reason === undefined ? [] : [asLabel(reason)]),
	].join("\n");
	item.iconPath = chooseIcon(kind, state);
	const isStarted = state === "running" || state === "starting";
	item.contextValue = ["server", isStarted ? "started" : state, ...(signedIn ? ["signedIn"] : [])].join(" ");
	return item;
}

function chooseIcon(kind: ListedServer["kind"], state: ListedServer["state"]): vscode.ThemeIcon {
	if (state === "failed") return new vscode.ThemeIcon("error", new vscode.ThemeColor("problemsErrorIcon.foreground"));
	if (state === "starting") return new vscode.ThemeIcon("loading~spin");
	if (state === "signIn") return new vscode.ThemeIcon("account");
	if (state === "unasked") return new vscode.ThemeIcon("shield");
	return new vscode.ThemeIcon(state === "off" ? "circle-slash" : kind === "address" ? "globe" : "server-process");
}
