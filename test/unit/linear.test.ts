import assert from "node:assert/strict";
import { test } from "node:test";
import { readStringObject } from "../../agent-host/compaction/strict-json.ts";
import { checkSummary, resumeLine } from "../../agent-host/compaction/summary-contract.ts";
import { matchQuote, withoutQuoteTags } from "../../agent-host/compaction/verbatim.ts";
import { countInvisible } from "../../agent-host/context/count-invisible.ts";
import { escapeMarkers, unescapeMarkers } from "../../agent-host/context/tags.ts";
import { identifyImage } from "../../agent-host/history/image-facts.ts";
import { estimateTokens } from "../../agent-host/history/tokens.ts";
import { truncateMiddle } from "../../agent-host/history/truncate.ts";
import { createPathIndex } from "../../agent-host/mentions/path-index.ts";
import { readPause } from "../../agent-host/model/retry.ts";
import { createSseDecoder } from "../../agent-host/model/wires/connection/sse.ts";
import { createDrafts } from "../../agent-host/model/wires/drafts.ts";
import { readOverflow } from "../../agent-host/model/wires/refusals/overflow.ts";
import { normalizeRefusal, plainLine } from "../../agent-host/model/wires/refusals/refusal.ts";
import { readOpening } from "../../agent-host/network/client-hello.ts";
import { parseTarget } from "../../agent-host/network/host-name.ts";
import { parseRules } from "../../agent-host/network/host-rules.ts";
import { readHead } from "../../agent-host/network/request-head.ts";
import { parsePatch } from "../../agent-host/patch/grammar.ts";
import { findPathProblem } from "../../agent-host/patch/path.ts";
import { createReadLog } from "../../agent-host/patch/read-log.ts";
import { splitText, toBytes } from "../../agent-host/patch/text-file.ts";
import { listDeletions } from "../../agent-host/permissions/command-lines/deletion-words.ts";
import { readMoves } from "../../agent-host/permissions/command-lines/moves.ts";
import { offerRule, refuseRule } from "../../agent-host/permissions/command-lines/prefix-rules.ts";
import { shellWords } from "../../agent-host/permissions/command-lines/shell-words.ts";
import { recogniseDenial } from "../../agent-host/permissions/decide/recognize-denial.ts";
import { matchesGlob } from "../../agent-host/permissions/reach/glob.ts";
import { NOTHING_CLOSED } from "../../agent-host/permissions/reach/reach.ts";
import { parsePolicyFile } from "../../agent-host/permissions/resolve/compile-policy-file.ts";
import { oneLine } from "../../agent-host/permissions/words/one-line.ts";
import { quoteForCmd } from "../../agent-host/platform/quoting.ts";
import { isBarePatch, patchInCommand } from "../../agent-host/tools/patch-in-command.ts";
import { listImports } from "../../agent-host/workspace/instructions/follow-imports.ts";
import { keepTextAndColours } from "../../extension/panel/open/terminal-text.ts";
import { readAnsi } from "../../media/model/thread/ansi.ts";
import { aPolicy } from "../support/a-policy.ts";
import { growthOf, LONGEST_BY_STEPS, MOST_GROWTH } from "../support/linear.ts";

/** Texts that make careless readers look at the same characters again and again. */
const RUNS: Readonly<Record<string, (chars: number) => string>> = {
	spaces: fill(" "),
	"line ends": fill("\n"),
	"carriage returns": fill("\r"),
	quotes: fill("'"),
	"double quotes": fill('"'),
	backslashes: fill("\\"),
	braces: fill("{"),
	brackets: fill("["),
	"angle brackets": fill("<"),
	slashes: fill("/"),
	dots: fill("."),
	digits: fill("1"),
	letters: fill("a"),
	capitals: fill("A"),
	stars: fill("*"),
	backticks: fill("`"),
	escapes: fill("\u001b["),
	"string controls": fill("\u009d"),
	marks: fill("&"),
	"invisible characters": fill("\u200B"),
	"invisible characters, then a slash": (chars) => `${"\u200B".repeat(chars)}/`,
	"words and spaces": fill("a "),
	"spaces, then something": (chars) => `${" ".repeat(chars)}!`,
	"backslashes, then a letter": (chars) => `${"\\".repeat(chars)}a`,
	"dots, then a letter": (chars) => `${".".repeat(chars)}a`,
	"digits, then a letter": (chars) => `${"1".repeat(chars)}x`,
	"a line that is written over at its end": (chars) => `${"a".repeat(chars)}\r\n\rb`,
};

/** Every reader of text from the model, from files or from servers, with the beginnings that lead it furthest. */
const READERS: Readonly<
	Record<
		string,
		{
			readonly read: (text: string) => unknown;
			readonly after?: readonly string[];
			readonly end?: string;
			/** Characters of the longest text. */
			readonly longest?: number;
		}
	>
> = {
	patchInCommand: {
		read: patchInCommand,
		after: [
			"",
			"cd ",
			"cd a",
			"cd a &&",
			"apply_patch ",
			"cd a && apply_patch '",
			"apply_patch <<",
			"apply_patch <<E\n",
		],
	},
	"patchInCommand of words": { read: (text) => patchInCommand(["bash", "-lc", text]), after: ["", "cd "] },
	isBarePatch: { read: isBarePatch },
	listImports: { read: listImports, after: ["", "@", "a `"] },
	quoteForCmd: { read: (text) => quoteForCmd([text]) },
	shellWords: { read: (text) => shellWords(text.slice(0, 10_000)) },
	readMoves: { read: (text) => readMoves(text, "/repo"), after: ["", "cd ", "cd a;", "pushd a && ", "x "] },
	listDeletions: {
		read: listDeletions,
		after: ["", "rm ", "rm -", "sudo ", "git clean ", "find . ", "find . -exec ", "cd a;", "A=", "> ", "bash -c '"],
		longest: LONGEST_BY_STEPS,
	},
	"listDeletions of words": { read: (text) => listDeletions(["rm", "-r", ...text.split(" ")]) },
	refuseRule: { read: (text) => refuseRule([text]) },
	offerRule: { read: (text) => offerRule([text, text]) },
	parsePatch: {
		read: parsePatch,
		after: ["", "<<", "<<'A", "*** Begin Patch\n", "*** Begin Patch\n*** Update File: a\n@@"],
		end: "\n*** End Patch",
	},
	findPathProblem: { read: findPathProblem, after: ["", "a"] },
	matchesGlob: { read: (text) => matchesGlob("**/*a*b*", text) },
	escapeMarkers: { read: escapeMarkers, after: ["", "<", "</", "< / "] },
	unescapeMarkers: { read: unescapeMarkers, after: ["", "&lt"] },
	countInvisible: { read: countInvisible },
	withoutQuoteTags: { read: withoutQuoteTags, after: ["<", "<VERBATIM"] },
	resumeLine: { read: resumeLine, after: ["RESUME_AT:", "x\nRESUME_AT: <", "RESUME_AT: none"] },
	checkSummary: { read: (text) => checkSummary(text, ["a"]), after: ["", '{"summary":"'], end: '"}' },
	readStringObject: { read: readStringObject, after: ["", "{", '{"', '{"a":"'] },
	matchQuote: { read: (text) => matchQuote(text, [`${text}b`]) },
	estimateTokens: { read: estimateTokens, after: ["", "a/b-c_"] },
	truncateMiddle: { read: (text) => truncateMiddle(text, 1_000) },
	readPause: { read: readPause, after: ["", "try again in ", "retry after 1"] },
	readOverflow: {
		read: (text) => readOverflow(refused(text)),
		after: ["", "context limit: ", "exceeds the limit of "],
		end: " kb",
	},
	plainLine: { read: plainLine },
	normalizeRefusal: { read: normalizeRefusal, after: ["", "<html>", "<html><title", '{"error":"'] },
	oneLine: { read: oneLine },
	parseTarget: { read: (text) => parseTarget(text, 80), after: ["", "[", "a:"] },
	parseRules: { read: (text) => parseRules([text]), after: ["", "*.", "!"] },
	readHead: {
		read: (text) => readHead({ method: "GET", url: text, rawHeaders: ["Host", text] }),
		after: ["", "http://"],
	},
	recogniseDenial: { read: (output) => recogniseDenial({ exitCode: 1, output }, aPolicy()) },
	parsePolicyFile: { read: (text) => parsePolicyFile(text, PLACES), after: ["", '{"filesystem":'] },
	splitText: { read: splitText },
	readLog: { read: readTwice },
	"a server's events": { read: (text) => createSseDecoder().push(toBytes(text)), after: ["", "data:", ":"] },
	"a server's events, by the byte": {
		read: (text) => readByTheByte(text),
		after: ["data:"],
		longest: LONGEST_BY_STEPS,
	},
	"a call's draft": { read: (text) => draftOf([text]), after: ["", '{"patch":"', '{"patch":"\\'] },
	"a call's draft, by the character": {
		read: (text) => draftOf([...text]),
		after: ['{"patch":"', '{"patch":"\\'],
		longest: LONGEST_BY_STEPS,
	},
	forTerminal: { read: keepTextAndColours, after: ["", "\u001b[", "\u001b]"] },
	"what a card shows of a terminal": { read: readAnsi, after: ["", "\u001b[", "\u001b]"] },
	"the score of a mention": {
		read: (text) => {
			const index = createPathIndex();
			// One name: a walk goes no deeper than 64 folders.
			index.add(text.slice(0, 4_096).replaceAll("/", "_"));
			return index.search("aaab", 1).advance(10_000);
		},
	},
	identifyImage: { read: (text) => identifyImage(Buffer.from(`\u00ff\u00d8${text}`, "latin1")), after: ["", "\u00ff"] },
	readOpening: { read: (text) => readOpening(Buffer.from(text, "latin1")), after: ["", "\u0016\u0003"] },
};

for (const [name, { read, after = [""], end = "", longest }] of Object.entries(READERS)) {
	test(`${name} takes time in proportion to its text, whatever that repeats`, () => {
		for (const start of after) {
			for (const [kind, make] of Object.entries(RUNS)) {
				const growth = growthOf((chars) => start + make(chars) + end, read, longest);
				assert.ok(growth < MOST_GROWTH, `${kind} after ${JSON.stringify(start)}: ${growth.toFixed(1)} times as long`);
			}
		}
	});
}

function fill(piece: string): (chars: number) => string {
	return (chars) => piece.repeat(Math.ceil(chars / piece.length));
}

const PLACES = {
	cwd: "/repo",
	tmpdir: undefined,
	home: "/home/me",
	own: [],
	closed: NOTHING_CLOSED,
	timeoutMs: 1_000,
};

function refused(text: string) {
	return { status: 400, code: undefined, param: undefined, text };
}

function readTwice(text: string): unknown {
	const log = createReadLog();
	log.recordRead("a", text);
	return log.changedSince("a", `${text}\nb`);
}

function readByTheByte(text: string): void {
	const decoder = createSseDecoder();
	for (const byte of toBytes(text)) decoder.push(Uint8Array.of(byte));
}

const PATCH_TOOL = { name: "apply_patch", description: "", parameters: {}, freeForm: { field: "patch", grammar: "" } };

function draftOf(pieces: readonly string[]): void {
	const draft = createDrafts([PATCH_TOOL]);
	for (const text of pieces) draft({ key: "1", name: "apply_patch", text, form: "json" });
}
