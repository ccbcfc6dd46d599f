import * as vscode from "vscode";
import type { UserInput } from "../../../agent-host/protocol/thread/turn.ts";
import { t } from "../../../l10n/t.ts";
import { MAX_DROPPED_FILES } from "../../../media/wire/limits.ts";
import { offerFile, offerProblems, offerTheseProblems } from "../../attach/document-offers.ts";
import { offerSelection } from "../../attach/editor-state.ts";
import { readRoot } from "../../attach/git.ts";
import { offerChanges } from "../../attach/git-changes.ts";
import { listRecentCommits, offerBranch, offerNamedCommit } from "../../attach/git-history.ts";
import { toExcerpt } from "../../attach/lines.ts";
import type { Offer } from "../../attach/offer.ts";
import { offerTerminalNow } from "../../attach/terminal-output.ts";
import { showWarning } from "../../facts/show-message.ts";
import type { Parts } from "../parts.ts";

export type EditorCommand = (parts: Parts, ...chosen: readonly unknown[]) => Promise<void>;

/** Attaches the selection to the prompt, or the current line if nothing is selected. */
export function sendSelection({ panel }: Parts): Promise<void> {
	return panel.compose("", [offerSelection(activeEditor())], "write");
}

/** Attaches the files chosen in the explorer or in source control, or the file in the editor. */
export async function addFile({ panel }: Parts, ...chosen: readonly unknown[]): Promise<void> {
	const uris = chosenUris(chosen);
	const added = uris.length > 0 ? uris : [activeEditor().document.uri];
	await panel.compose("", await Promise.all(added.slice(0, MAX_DROPPED_FILES).map(toOffer)), "write");
	if (added.length > MAX_DROPPED_FILES)
		void showWarning(t("Only the first {0} files are attached.", MAX_DROPPED_FILES));
}

export async function addProblems({ panel }: Parts): Promise<void> {
	const uri = vscode.window.activeTextEditor?.document.uri;
	const offer = (uri && offerProblems(uri)) ?? offerProblems(undefined);
	if (offer === undefined) throw new Error(t("No problems to add."));
	await panel.compose("", [offer], "write");
}

export async function addTerminalOutput({ panel }: Parts): Promise<void> {
	await panel.compose("", [await offerTerminalNow("output")], "write");
}

export async function addTerminalSelection({ panel }: Parts): Promise<void> {
	await panel.compose("", [await offerTerminalNow("selection")], "write");
}

export function explain({ panel }: Parts): Promise<void> {
	return panel.compose(t("Explain the selected code."), [offerSelection(activeEditor())], "send");
}

/** Asks what to change in the selection and sends it; the changes are reviewed where they are made. */
export async function editSelection({ panel }: Parts): Promise<void> {
	const editor = activeEditor();
	const { document, viewColumn } = editor;
	const offer = offerSelection(editor);
	const wanted = await vscode.window.showInputBox({
		title: t("Edit {0}", offer.label),
		prompt: t("What should change?"),
	});
	if (wanted === undefined || wanted.trim() === "") return;
	await panel.compose(t("Edit the selected code: {0}", wanted.trim()), [offer], "send");
	// The chat shows the progress; the user stays where the change will be, not in the group of a chat in a tab.
	const { selection } = editor;
	await vscode.window.showTextDocument(document, { selection, ...(viewColumn && { viewColumn }) });
}

/** Asks to fix the problems of a quick fix, or those at the cursor. */
export async function fixProblem({ panel }: Parts, uri?: unknown, diagnostics?: unknown): Promise<void> {
	const problems = readProblems(uri, diagnostics) ?? problemsAtCursor();
	if (problems.diagnostics.length === 0) throw new Error(t("No problem at the cursor."));
	const words = problems.diagnostics.length === 1 ? t("Fix the attached problem.") : t("Fix the attached problems.");
	await panel.compose(words, [offerTheseProblems(problems.uri, problems.diagnostics)], "send");
}

/** Asks for a review of what the user picks: uncommitted changes, this branch, or a commit. */
export async function reviewGit(parts: Parts): Promise<void> {
	const picked = await vscode.window.showQuickPick(
		[
			{ label: t("Uncommitted Changes"), run: reviewUncommitted },
			{ label: t("Changes of This Branch"), run: reviewBranch },
			{ label: t("A Commit…"), run: reviewCommit },
		],
		{ title: t("Review Changes") },
	);
	await picked?.run(parts);
}

/** Asks for a review of the uncommitted changes: of the repository whose button was pressed, else of all. */
export async function reviewUncommitted({ panel, findings }: Parts, from?: unknown): Promise<void> {
	const offer = await offerChanges(readRoot(from));
	if (offer === undefined) throw new Error(t("No uncommitted changes to review."));
	await panel.review(t("Review the attached uncommitted changes."), offer, describeDismissed(findings));
}

/** Asks for a review of the current branch's changes since it left the one with this name, else its base. */
export async function reviewBranch({ panel, findings, policy }: Parts, name?: unknown): Promise<void> {
	const folder = policy.current()?.cwd;
	const other = typeof name === "string" ? name : undefined;
	const offer = await offerBranch(folder, other);
	const words =
		other === undefined
			? t("Review the attached changes of this branch.")
			: t("Review the attached changes of this branch since {0}.", other);
	await panel.review(words, offer, describeDismissed(findings));
}

/** Asks for a review of a commit: of the one with this name, else of one that the user picks. */
export async function reviewCommit({ panel, findings, policy }: Parts, ref?: unknown): Promise<void> {
	const folder = policy.current()?.cwd;
	if (typeof ref === "string") {
		const offer = await offerNamedCommit(folder, ref);
		return panel.review(t("Review the attached commit."), offer, describeDismissed(findings));
	}
	const commits = await listRecentCommits(folder);
	const picked = await vscode.window.showQuickPick(commits, { title: t("Review Commit") });
	if (picked === undefined) return;
	await panel.review(t("Review the attached commit."), picked.offer, describeDismissed(findings));
}

/** Stops showing a finding of a review, chosen as a quick fix. */
export async function dismissFinding({ findings }: Parts, uri?: unknown, diagnostic?: unknown): Promise<void> {
	const finding = findings.find(uri, diagnostic);
	if (finding === undefined) throw new Error(t("That finding is no longer shown."));
	await findings.dismiss(finding);
}

/** Dismissed findings that are named to the model, the newest ones. */
const MAX_NAMED = 20;

/** What the user does not want to hear again, as data: a model wrote these words. */
function describeDismissed(findings: Parts["findings"]): readonly UserInput[] {
	const names = findings.dismissed().slice(-MAX_NAMED);
	if (names.length === 0) return [];
	return [toExcerpt("findings that the user has dismissed: do not report them again", names.join("\n"))];
}

function activeEditor(): vscode.TextEditor {
	const editor = vscode.window.activeTextEditor;
	if (editor?.document.uri.scheme !== "file") throw new Error(t("Open a file in the editor first."));
	return editor;
}

async function toOffer(uri: vscode.Uri): Promise<Offer> {
	// Source control also lists files that were deleted: they have a name only.
	const type = await vscode.workspace.fs.stat(uri).then(
		(found) => found.type,
		() => vscode.FileType.Unknown,
	);
	return offerFile(uri, type & vscode.FileType.Directory ? "folder" : "file");
}

/** The explorer passes the file and all selected files; source control passes rows with one file each. */
function chosenUris(chosen: readonly unknown[]): readonly vscode.Uri[] {
	const uris = chosen.flat().flatMap((one) => {
		if (one instanceof vscode.Uri) return [one];
		const holds = typeof one === "object" && one !== null && "resourceUri" in one ? one.resourceUri : undefined;
		return holds instanceof vscode.Uri ? [holds] : [];
	});
	return [...new Map(uris.filter(({ scheme }) => scheme === "file").map((uri) => [uri.toString(), uri])).values()];
}

interface ProblemsHere {
	readonly uri: vscode.Uri;
	readonly diagnostics: readonly vscode.Diagnostic[];
}

function readProblems(uri: unknown, diagnostics: unknown): ProblemsHere | undefined {
	if (!(uri instanceof vscode.Uri) || !Array.isArray(diagnostics)) return undefined;
	return { uri, diagnostics: diagnostics.filter((one) => one instanceof vscode.Diagnostic) };
}

function problemsAtCursor(): ProblemsHere {
	const { document, selection } = activeEditor();
	const diagnostics = vscode.languages.getDiagnostics(document.uri);
	const lines = new vscode.Range(selection.start.line, 0, selection.end.line, Number.MAX_SAFE_INTEGER);
	return { uri: document.uri, diagnostics: diagnostics.filter(({ range }) => lines.intersection(range) !== undefined) };
}
