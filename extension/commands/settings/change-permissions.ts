import * as vscode from "vscode";
import type {
	ApprovalPolicy,
	NetworkMode,
	PermissionMode,
} from "../../../agent-host/protocol/settings/policy-settings.ts";
import type { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { policyShow } from "../../../agent-host/protocol/thread/context.ts";
import { threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { sayNamed } from "../../../l10n/host-words.ts";
import { type Message, t } from "../../../l10n/t.ts";
import { APPROVAL_NAMES, MODE_NAMES, NETWORK_NAMES } from "../../facts/describe-offered.ts";
import { showInformation, showWarning } from "../../facts/show-message.ts";
import type { PolicyShown } from "../../host/policy-watch.ts";
import { OPENED, type Parts } from "../parts.ts";

interface Choice {
	readonly label: Message;
	readonly detail: Message;
}

const MODES: Readonly<Record<PermissionMode, Choice>> = {
	readOnly: {
		label: MODE_NAMES.readOnly,
		detail: "Reads files. Commands can't write; you approve every edit.",
	},
	ask: { label: MODE_NAMES.ask, detail: "Asks before every edit and every command." },
	workspaceWrite: {
		label: MODE_NAMES.workspaceWrite,
		detail: "Edits files and runs sandboxed commands in the workspace. Asks before anything else.",
	},
	full: {
		label: MODE_NAMES.full,
		detail:
			"Anything you can do, including network. Asks only before far-reaching deletions and changes. This thread only.",
	},
};

const NETWORKS: Readonly<Record<NetworkMode, Choice>> = {
	off: { label: NETWORK_NAMES.off, detail: "Commands have no network access." },
	allowList: {
		label: NETWORK_NAMES.allowList,
		detail: "Commands can connect to the sites in your settings. You approve others.",
	},
	on: {
		label: NETWORK_NAMES.on,
		detail: "Commands have full network access, including to servers on this machine and in your network.",
	},
};

const APPROVALS: Readonly<Record<ApprovalPolicy, Choice>> = {
	untrusted: { label: APPROVAL_NAMES.untrusted, detail: "Before every edit and every command that no rule allows." },
	onRequest: { label: APPROVAL_NAMES.onRequest, detail: "Before anything the permissions don't allow." },
	never: { label: APPROVAL_NAMES.never, detail: "Anything not allowed is refused." },
};

type Row = vscode.QuickPickItem & { readonly change?: PartialSettings; readonly command?: string };

/** Changes the open thread's permissions: stricter ones apply at once, others from its next turn on. */
export async function changePermissions({ host, panel, policy }: Parts): Promise<typeof OPENED | undefined> {
	if (!vscode.workspace.isTrusted) return offerTrust();
	const threadId = await panel.ensureThread();
	const now = await host.request(policyShow, { threadId, compiled: false });
	const row = await vscode.window.showQuickPick(rowsFor(now), {
		title: t("Change Permissions of This Thread"),
		placeHolder: t(
			"Current: {0}. Stricter permissions apply immediately, others from the next turn.",
			sayNamed(now.name, now.nameSaid),
		),
		matchOnDetail: true,
	});
	if (row?.command !== undefined) {
		await vscode.commands.executeCommand(row.command, "vitrine.permissions");
		return OPENED;
	}
	if (row?.change === undefined) return undefined;
	if (row.change.permissions?.mode === "full" && !(await confirmFull())) return undefined;
	await host.request(threadSettings, { threadId, settings: row.change });
	policy.refresh();
	return undefined;
}

function rowsFor(now: PolicyShown): readonly Row[] {
	return [
		heading(t("Mode")),
		...rows(MODES, now.plan?.mode ?? now.mode, (mode) => ({ permissions: { mode } })),
		heading(t("Network")),
		...rows(NETWORKS, now.plan?.network ?? now.network, (network) => ({ permissions: { network } })),
		heading(t("When to Ask")),
		...rows(APPROVALS, now.approval, (approval) => ({ approval })),
		heading(t("More")),
		{ label: `$(list-flat) ${t("Show Effective Policy")}`, command: "vitrine.showPolicy" },
		{ label: `$(gear) ${t("Open Settings")}`, command: "workbench.action.openSettings" },
	];
}

function rows<T extends string>(
	choices: Readonly<Record<T, Choice>>,
	now: T,
	change: (value: T) => PartialSettings,
): readonly Row[] {
	// The keys of the record are exactly T.
	return (Object.keys(choices) as T[]).map((value) => ({
		label: t(choices[value].label),
		detail: t(choices[value].detail),
		...(value === now ? { description: t("current"), iconPath: new vscode.ThemeIcon("check") } : {}),
		change: change(value),
	}));
}

function heading(label: string): Row {
	return { label, kind: vscode.QuickPickItemKind.Separator };
}

async function confirmFull(): Promise<boolean> {
	const detail = t(
		"Commands run without sandbox restrictions. They can change or delete anything you can, use the network, and talk to your programs, such as Docker or an SSH agent. Files with stored keys and passwords stay blocked, but such a program may use a key on a command's behalf. Full Access applies to this thread in this window and these folders. It stays on, and visible in the status bar, until you change it.",
	);
	const grant = t("Grant Full Access");
	const question = t("Grant Full Access to this thread?");
	return (await showWarning(question, { modal: true, detail }, grant)) === grant;
}

async function offerTrust(): Promise<typeof OPENED> {
	const words = t("In Restricted Mode, the agent can only read and answer. Trust the workspace to allow more.");
	const manage = t("Manage Workspace Trust");
	if ((await showInformation(words, manage)) === manage) await vscode.commands.executeCommand("workbench.trust.manage");
	return OPENED;
}
