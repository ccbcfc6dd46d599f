import * as vscode from "vscode";
import { policyShow } from "../../agent-host/protocol/context.ts";
import type { ApprovalPolicy, NetworkMode, PermissionMode } from "../../agent-host/protocol/policy.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings.ts";
import { threadSettings } from "../../agent-host/protocol/thread.ts";
import type { PolicyShown } from "../facts/policy.ts";
import type { Parts } from "./parts.ts";

interface Choice {
	readonly label: string;
	readonly detail: string;
}

const MODES: Readonly<Record<PermissionMode, Choice>> = {
	readOnly: {
		label: "Read Only",
		detail: "Reads files. Commands can write nothing; every edit is asked about.",
	},
	ask: { label: "Ask First", detail: "You are asked before every edit and every command." },
	workspaceWrite: {
		label: "Workspace",
		detail: "Edits and runs commands inside the workspace; asks before anything beyond.",
	},
	full: {
		label: "Full Access",
		detail: "Everything you can do, network included, unasked. For this thread only.",
	},
};

const NETWORKS: Readonly<Record<NetworkMode, Choice>> = {
	off: { label: "No Network", detail: "Commands reach nothing." },
	allowList: { label: "Allowed Hosts", detail: "Commands reach the hosts in your settings and nothing else." },
	on: { label: "Network On", detail: "Commands reach everything." },
};

const APPROVALS: Readonly<Record<ApprovalPolicy, Choice>> = {
	untrusted: { label: "Ask About Everything", detail: "Before every edit and every command that no rule allows." },
	onRequest: { label: "Ask When Needed", detail: "Before anything that is not allowed already." },
	never: { label: "Never Ask", detail: "What is not allowed is refused." },
};

type Row = vscode.QuickPickItem & { readonly change?: PartialSettings; readonly command?: string };

/** Changes what the thread in the chat may do from its next turn on. */
export async function changePermissions({ host, panel, policy }: Parts): Promise<void> {
	if (!vscode.workspace.isTrusted) return offerTrust();
	const threadId = await panel.ensureThread();
	const now = await host.request(policyShow, { threadId });
	const row = await vscode.window.showQuickPick(rowsFor(now), {
		title: "Change Permissions of This Thread",
		placeHolder: `Now: ${now.name}. Holds from the next turn on.`,
		matchOnDetail: true,
	});
	if (row?.command !== undefined) await vscode.commands.executeCommand(row.command, "vitrine.permissions");
	if (row?.change === undefined) return;
	if (row.change.permissions?.mode === "full" && !(await confirmFull())) return;
	await host.request(threadSettings, { threadId, settings: row.change });
	policy.refresh();
}

function rowsFor(now: PolicyShown): readonly Row[] {
	return [
		heading("What it may do"),
		...rows(MODES, now.mode, (mode) => ({ permissions: { mode } })),
		heading("Network"),
		...rows(NETWORKS, now.network, (network) => ({ permissions: { network } })),
		heading("When you are asked"),
		...rows(APPROVALS, now.approval, (approval) => ({ approval })),
		heading("More"),
		{ label: "$(list-flat) Show Effective Policy", command: "vitrine.showPolicy" },
		{ label: "$(gear) Open Settings", command: "workbench.action.openSettings" },
	];
}

function rows<T extends string>(
	choices: Readonly<Record<T, Choice>>,
	now: T,
	change: (value: T) => PartialSettings,
): readonly Row[] {
	// The keys of a record of T are all of T.
	return (Object.keys(choices) as T[]).map((value) => ({
		...choices[value],
		...(value === now ? { description: "now", iconPath: new vscode.ThemeIcon("check") } : {}),
		change: change(value),
	}));
}

function heading(label: string): Row {
	return { label, kind: vscode.QuickPickItemKind.Separator };
}

const GRANT_FULL = "Give Full Access";

async function confirmFull(): Promise<boolean> {
	const detail =
		"Commands run without the sandbox's limits: they can change or delete anything that you can, and reach the network. Places where keys and passwords are kept stay closed. It holds for this thread until you change it, and is shown in the status bar all that time.";
	const question = "Give this thread full access?";
	return (await vscode.window.showWarningMessage(question, { modal: true, detail }, GRANT_FULL)) === GRANT_FULL;
}

const MANAGE_TRUST = "Manage Workspace Trust";

async function offerTrust(): Promise<void> {
	const words = "Vitrine: In Restricted Mode the agent only reads and answers. Trust the workspace to allow more.";
	if ((await vscode.window.showInformationMessage(words, MANAGE_TRUST)) !== MANAGE_TRUST) return;
	await vscode.commands.executeCommand("workbench.trust.manage");
}
