import type { InstructionsLinted } from "../../../agent-host/protocol/thread/instructions.ts";
import { asPlain } from "../../../agent-host/protocol/thread/markdown-text.ts";
import { countOf, type Message, numberOf, t } from "../../../l10n/t.ts";
import { asCode, page, table } from "./markdown-page.ts";

type Left = InstructionsLinted["notLoaded"][number];
type Origin = InstructionsLinted["files"][number]["origin"];

const ORIGINS: Readonly<Record<Origin, Message>> = {
	user: "yours",
	workspace: "workspace",
	folder: "folder below",
};

const REASONS: Readonly<Record<Left["why"], Message>> = {
	untrusted: "the workspace is not trusted",
	later: "read when work begins in its folder",
	covered: "its folder uses another file, or it is a copy of one",
	unnamed: "its name is not in vitrine.instructions.fallbacks",
};

/** What instructions cost in every request, which lines repeat or contradict each other, and which files are left out. */
export function renderInstructions({ files, budget, findings, notLoaded, problems }: InstructionsLinted): string {
	const tokens = files.reduce((sum, file) => sum + file.tokens, 0);
	const rows = files.map(({ path, origin, tokens: own, cut }) => [
		path === undefined ? t("Setting {0}", "`vitrine.instructions.developer`") : asPlain(path),
		t(ORIGINS[origin]),
		numberOf(own),
		asPlain(cut ?? ""),
	]);
	const head = [t("File"), t("From"), t("Tokens"), t("Note")];
	const contradictions = findings.filter(({ kind }) => kind === "contradiction");
	const duplicates = findings.filter(({ kind }) => kind === "duplicate");
	return page(t("Instructions"), [
		files.length === 0
			? t("No instructions are loaded.")
			: t("About {0} tokens in every request, of at most {1}.", tokens, budget),
		...(rows.length === 0 ? [] : [table([head, ...rows])]),
		...section(t("Contradictions"), contradictions.map(listPlaces)),
		...section(t("Duplicates"), duplicates.map(listPlaces)),
		...section(
			t("Not loaded"),
			notLoaded.map(({ path, why }) => `- ${asCode(path)}: ${t(REASONS[why])}`),
		),
		...section(
			t("Problems"),
			problems.map((problem) => `- ${asPlain(problem)}`),
		),
		...(findings.length + problems.length === 0 ? [t("No problems found.")] : []),
		t("Only repeated lines, opposite demands and known alternatives are found. Whether lines fit together is for you."),
	]);
}

function section(title: string, lines: readonly string[]): readonly string[] {
	return lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];
}

function listPlaces({ places }: InstructionsLinted["findings"][number]): string {
	const [first] = places;
	const where = places.map(({ path, line, text }) =>
		text === first?.text ? `  - ${asPlain(path)}:${line}` : `  - ${asPlain(path)}:${line}: ${asPlain(text)}`,
	);
	return [`- ${asPlain(first?.text ?? "")} (${countOf(places.length, "{0} place", "{0} places")})`, ...where].join(
		"\n",
	);
}
