import type { ApprovalSubject } from "../../../agent-host/protocol/approval/approval.ts";
import type { LedgerEntry } from "../../../agent-host/protocol/approval/ledger.ts";
import type { CommandRule } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { sayNamed } from "../../../l10n/host-words.ts";
import { quoteWord } from "../../../l10n/quote-word.ts";
import { type Message, t, timeOf } from "../../../l10n/t.ts";

/** Titles of approvals, without text of the model. */
export const APPROVAL_TITLES: Readonly<Record<ApprovalSubject["kind"], Message>> = {
	command: "Vitrine needs approval to run a command",
	patch: "Vitrine needs approval to change files",
	permission: "Vitrine needs approval to read a blocked path",
	network: "Vitrine needs approval to connect to a site",
	serverTool: "Vitrine needs approval to call an MCP server",
	editorTool: "Vitrine needs approval to call a tool of the editor",
	customizations: "Vitrine needs approval to use customizations of the workspace",
};

const MAX_LABEL = 120;
/** A fact in a tooltip or on a page has room for a whole sentence with its paths. */
const MAX_FACT = 1_000;
/** Also escapes the start of an escape, so that it cannot be forged, and every space except the usual one. */
const HIDDEN = /\\(?=u\{)|(?! )[\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/gu;

export function describeSubject(subject: ApprovalSubject): string {
	switch (subject.kind) {
		case "command":
			return asLabel(
				subject.input === undefined
					? t("Run {0}", describeCommand(subject))
					: t("Input for {0}", describeCommand(subject)),
			);
		case "patch":
			return asLabel(t("Change {0}", subject.files.map(({ path }) => path).join("\n")));
		case "permission":
			return asLabel(t("Read {0}", subject.read.join("\n")));
		case "network":
			return asLabel(t("Connect to {0}", `${subject.host}:${subject.port}`));
		case "serverTool":
			return asLabel(t("Call {0} of {1}", subject.tool, subject.server));
		case "editorTool":
			return asLabel(t("Call {0} of the editor", subject.tool));
		case "customizations":
			return asLabel(t("Use {0}", subject.entries.map(({ path }) => path).join("\n")));
	}
}

/** Untrusted text as one short line without hidden characters. */
export function asLabel(text: string, most = MAX_LABEL): string {
	const spell = (hidden: string) => `\\u{${hidden.codePointAt(0)?.toString(16).toUpperCase()}}`;
	const line = text.replaceAll(HIDDEN, spell);
	return line.length <= most ? line : `${line.slice(0, most - 1)}… (${line.length})`;
}

/** A shell script as it is, or as a line for a shell, so that different commands look different. */
function describeCommand({ shell, argv }: Extract<ApprovalSubject, { readonly kind: "command" }>): string {
	return shell ?? argv.map(quoteWord).join(" ");
}

const DECISIONS: Readonly<Record<LedgerEntry["decision"], Message>> = {
	allow: "allowed",
	allowThread: "allowed in this thread",
	allowFolder: "always allowed in this workspace",
	allowRule: "always allowed",
	deny: "refused",
	abort: "refused, turn stopped",
};

const ACTORS: Readonly<Record<LedgerEntry["by"], Message>> = {
	policy: "by the permissions",
	rule: "by a saved rule",
	thread: "as already allowed in this thread",
	user: "by you",
	host: "(no answer)",
};

type Decision = Pick<LedgerEntry, "decision" | "by"> & Partial<Pick<LedgerEntry, "grant">>;

/** Such as "allowed in this thread by you". */
export function describeDecision({ decision, by, grant }: Decision): string {
	const said = `${t(DECISIONS[decision])} ${t(ACTORS[by])}`;
	return grant === "over" ? t("{0} (no longer active)", said) : said;
}

/** All facts about a decision, one per line. */
export function explainDecision(entry: LedgerEntry): readonly string[] {
	return [
		asFact(sayNamed(entry.what, entry.whatSaid)),
		`${describeDecision(entry)}, ${timeOf(entry.at)}`,
		t(whySaid(entry), asFact(sayNamed(entry.reason, entry.reasonSaid))),
		...(entry.rules ?? []).map((rule) => t("Rule: {0}", asFact(describeRule(rule)))),
		...(entry.host === undefined ? [] : [t("Allowed site: {0}", asFact(entry.host))]),
		...(entry.serverTool === undefined
			? []
			: [t("Rule: {0}", asFact(`${entry.serverTool.server}: ${entry.serverTool.tool}`))]),
		...(entry.note === undefined ? [] : [t("Note: {0}", asFact(entry.note))]),
	];
}

function asFact(text: string): string {
	return asLabel(text, MAX_FACT);
}

function whySaid({ by, decision }: LedgerEntry): Message {
	if (by === "user" || by === "host") return "Why you were asked: {0}";
	return decision === "deny" ? "Refused automatically: {0}" : "Allowed automatically: {0}";
}

function describeRule({ prefix, folder }: CommandRule): string {
	return folder === undefined ? JSON.stringify(prefix) : t("{0} (in {1})", JSON.stringify(prefix), folder);
}
