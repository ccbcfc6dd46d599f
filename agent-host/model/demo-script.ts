import type { HistoryItem } from "../history/history-item.ts";
import { asksForFix, planFix } from "./demo-fix.ts";
import { type DemoPlace, type DemoStep, SET_UP_MODEL } from "./demo-step.ts";
import { type DemoCall, demoCallsFor } from "./demo-tasks.ts";
import type { ModelRequest } from "./port.ts";

const LONG_ANSWER_SECTIONS = 150;
/** Long enough to try everything that can be done to a running turn. */
const VERY_LONG_ANSWER_SECTIONS = 1_000;
const PREVIEW_LINES = 12;
const LAST_SAID = 4;
const LAST_DONE = 12;

/** The demo model's next step: a function of the request alone, so the same conversation always runs the same way. */
export function planDemoStep(request: ModelRequest, place: DemoPlace): DemoStep {
	if (request.outputSchema?.name === "compaction") return say(writeSummary(request.input));
	const last = request.input.at(-1);
	const told = last?.kind === "fragment" ? last.fragment : undefined;
	if (told === "side-question") return say(answerAside(place));
	if (told === "commit-request") return say(writeCommitMessage(textOf(last)));
	const prompt = request.input.findLastIndex((item) => item.kind === "userMessage");
	const asked = prompt >= 0 ? textOf(request.input[prompt]) : (saidByUser(request.input).at(-1) ?? "");
	if (/very long answer/i.test(asked)) return say(writeLongAnswer(VERY_LONG_ANSWER_SECTIONS));
	if (/long answer/i.test(asked)) return say(writeLongAnswer(LONG_ANSWER_SECTIONS));
	const outputs = request.input.slice(prompt + 1).filter((item) => item.kind === "toolOutput");
	const offered = new Set(request.tools.map((tool) => tool.name));
	if (asksForFix(asked) && offered.has("read_file")) return planFix(outputs.map(textOf), offered, place);
	const tasks = demoCallsFor(asked, offered);
	if (tasks.length > 0) return continueTasks(tasks, outputs.map(textOf), place);
	const canRead = request.tools.some((tool) => tool.name === "list_files");
	if (!canRead) return say(answerWithoutFiles(asked, place));
	const [listing, file] = outputs.map(textOf);
	if (listing === undefined) {
		return { text: "Let me look at the workspace first.", calls: [{ name: "list_files", arguments: { limit: 50 } }] };
	}
	const path = chooseFile(listing);
	if (file === undefined && path !== undefined) {
		return { text: `I'll read \`${path}\`.`, calls: [{ name: "read_file", arguments: { path, lines: 60 } }] };
	}
	return say(answerWithFiles(asked, { listing, path, file }, place));
}

/** One task per step; at the end a summary of the tools' results. */
function continueTasks(tasks: readonly DemoCall[], outputs: readonly string[], place: DemoPlace): DemoStep {
	const next = tasks[outputs.length];
	if (next !== undefined) return { text: next.say, calls: [{ name: next.name, arguments: next.arguments }] };
	const rows = tasks.map(({ name }, index) => `| \`${name}\` | ${formatCell(outputs[index] ?? "")} |`);
	return say(
		[
			"I am the **demo model**: scripted and offline. The tool calls were real:",
			["| Tool | Result |", "| --- | --- |", ...rows].join("\n"),
			`For real answers, ${SET_UP_MODEL[place]}.`,
		].join("\n\n"),
	);
}

function formatCell(text: string): string {
	// A heading says nothing without what is below it.
	return firstLine(text.trim().replace(/^([^\n]*:)\n/, "$1 ")).replaceAll("|", "\\|");
}

function say(text: string): DemoStep {
	return { text, calls: [] };
}

function answerAside(place: DemoPlace): string {
	return [
		"I am the **demo model**, scripted and offline, so I can't answer this.",
		`For real answers, ${SET_UP_MODEL[place]}.`,
	].join("\n\n");
}

/** Names the files of a diff. */
function writeCommitMessage(request: string): string {
	const [path = "files", ...others] = new Set(
		Array.from(request.matchAll(/^diff --git .* b\/(.+)$/gm), ([, name]) => name),
	);
	const subject = others.length === 0 ? `Change ${path}` : `Change ${others.length + 1} files`;
	return `${subject}\n\nWritten by the demo model, which is scripted and offline.`;
}

/** The JSON object that a compaction asks for, built from the conversation. */
function writeSummary(input: readonly HistoryItem[]): string {
	const said = saidByUser(input);
	const done = input.flatMap((item) => (item.kind === "toolCall" ? [`- called ${item.name} ${item.arguments}`] : []));
	const answers = input.flatMap((item) => (item.kind === "agentMessage" ? [`- said: ${firstLine(item.text)}`] : []));
	const intent = [
		"<VERBATIM_REQUEST_START>",
		said[0] ?? "",
		"<VERBATIM_REQUEST_END>",
		"<RECENT_USER_CONTEXT_START>",
		said.slice(-LAST_SAID).join("\n\n"),
		"<RECENT_USER_CONTEXT_END>",
	];
	const summary = [
		"Status: this is the scripted summary of the demo model.",
		...done.slice(-LAST_DONE),
		...answers.slice(-LAST_DONE),
		`RESUME_AT: answer “${firstLine(said.at(-1) ?? "the next question")}”`,
	];
	return JSON.stringify({ intent_user_message: intent.join("\n"), summary: summary.join("\n") });
}

function saidByUser(input: readonly HistoryItem[]): readonly string[] {
	return input.flatMap((item) => {
		if (item.kind === "userMessage") return [item.text];
		return item.kind === "fragment" ? (item.quotes ?? []) : [];
	});
}

function textOf(item: HistoryItem | undefined): string {
	if (item?.kind === "toolOutput") return item.output;
	return item !== undefined && "text" in item ? item.text : "";
}

function chooseFile(listing: string): string | undefined {
	const paths = listing.split("\n").filter((line) => line !== "" && !line.startsWith("["));
	return paths.find((path) => /^readme/i.test(path)) ?? paths.find((path) => /\.(md|ts|js|py|rs|go|txt)$/.test(path));
}

interface Looked {
	readonly listing: string;
	readonly path: string | undefined;
	readonly file: string | undefined;
}

function answerWithFiles(asked: string, { listing, path, file }: Looked, place: DemoPlace): string {
	const count = listing.split("\n").filter((line) => line !== "" && !line.startsWith("[")).length;
	const preview = (file ?? "").split("\n").slice(0, PREVIEW_LINES).join("\n");
	return [
		`You asked: *${firstLine(asked)}*`,
		"I am the **demo model**: scripted and offline. These steps were real:",
		`| Step | Result |\n| --- | --- |\n| Listed files | ${count} |\n| Read | ${path === undefined ? "nothing" : `\`${path}\``} |`,
		...(preview === "" ? [] : [`The file begins like this:\n\n\`\`\`\n${preview.replaceAll("```", "ˋˋˋ")}\n\`\`\``]),
		`For real answers, ${SET_UP_MODEL[place]}.`,
	].join("\n\n");
}

function answerWithoutFiles(asked: string, place: DemoPlace): string {
	return [
		`You asked: *${firstLine(asked)}*`,
		"I am the **demo model**, scripted and offline. No folder is open, so no files are available.",
		`Open a folder, or ${SET_UP_MODEL[place]}.`,
	].join("\n\n");
}

function writeLongAnswer(count: number): string {
	const sections = Array.from({ length: count }, (_, index) => {
		const number = index + 1;
		return number % 10 === 0
			? `## Section ${number}\n\n\`\`\`ts\nexport const section = ${number};\n\`\`\``
			: `Paragraph ${number} of a long answer, so that you can try Stop, scrolling and reloading.`;
	});
	return `${sections.join("\n\n")}\n\nThis is the end of the long answer.`;
}

function firstLine(text: string): string {
	const line = text.trim().split("\n")[0] ?? "";
	return line.length <= 120 ? line.replaceAll("*", "") : `${line.slice(0, 120).replaceAll("*", "")}…`;
}
