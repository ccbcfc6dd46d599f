import { extname, isAbsolute } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { accessTo } from "../../permissions/reach/reach.ts";
import { oneLine } from "../../permissions/words/one-line.ts";
import type { LanguageEdits } from "../../protocol/host/language.ts";
import type { FoundEdits, Hit, LanguagePorts, Told } from "../../tools/language-port.ts";
import { isReadableAt, readableIn } from "../../workspace/files/readable.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import type { Ports } from "../ports/ports.ts";
import type { RefuseOpening } from "./refuse-opening.ts";

/** How long the editor may take. The first answer of a language waits for its server to start. */
const ANSWER_MS = 20_000;
/** A language that was late this often is not asked again in a turn: its requests cannot be cancelled. */
const MAX_LATE = 2;
/** Files whose lines are shown beside the places in them. */
const MAX_PREVIEWED = 50;

interface LanguageOptions {
	/** The turn's policy, bound to the disk. */
	readonly bound: () => Promise<Policy>;
	readonly editor: Ports["editor"];
	readonly setTimer: Ports["setTimer"];
	readonly peek: LanguagePorts["peek"];
	readonly refuseOpening: RefuseOpening;
}

/**
 * The editor's answers for one turn. A language server reads what the policy closes, so places in closed files are
 * dropped, and of files outside the workspace only the name is kept.
 */
export function createLanguagePorts({ bound, editor, setTimer, peek, refuseOpening }: LanguageOptions): LanguagePorts {
	const late = new Map<string, number>();
	const judge = async () => createJudge(await bound());
	/** What a patch was told already in this turn. */
	const withheld = new Set<string>();
	const askAbout = async <T extends object>(
		path: string,
		signal: AbortSignal,
		request: (inTime: AbortSignal) => Promise<T>,
	): Promise<Told<T>> => {
		const reason = await refuseOpening(path);
		return reason === undefined ? ask(extname(path), signal, request) : { ok: false, reason };
	};
	const ask = async <T extends object>(
		about: string,
		signal: AbortSignal,
		request: (inTime: AbortSignal) => Promise<T>,
	): Promise<Told<T>> => {
		signal.throwIfAborted();
		if ((late.get(about) ?? 0) >= MAX_LATE)
			return { ok: false, reason: `${NO_ANSWER} It was too slow twice in this turn.` };
		const deadline = new AbortController();
		const stop = setTimer(ANSWER_MS, () => deadline.abort());
		try {
			return { ok: true, ...(await request(AbortSignal.any([signal, deadline.signal]))) };
		} catch {
			// Refused, or answered with something else than was asked for.
			signal.throwIfAborted();
			if (!deadline.signal.aborted) return { ok: false, reason: NO_ANSWER };
			late.set(about, (late.get(about) ?? 0) + 1);
			return { ok: false, reason: `${NO_ANSWER} It took longer than ${ANSWER_MS / 1_000} s.` };
		} finally {
			stop();
		}
	};
	return {
		peek,
		problems: async ({ paths, since }, signal) => {
			const placeOf = await judge();
			const open = paths?.filter((path) => placeOf(path) === "inside");
			// Only with a mark the editor opens files.
			const refusals = since === undefined ? [] : await Promise.all((open ?? []).map(refuseOpening));
			const closed = open?.filter((_, index) => refusals[index] !== undefined) ?? [];
			const asked = closed.length < (open?.length ?? 0) ? open?.filter((path) => !closed.includes(path)) : open;
			const isOpening = since !== undefined && (asked !== open || closed.length === 0);
			const params = { ...(asked && { paths: [...asked] }), ...(isOpening ? { since } : {}) };
			const told = await ask("problems", signal, (inTime) => editor.problems(params, inTime));
			if (!told.ok) return told;
			const reason = refusals.find((one) => one !== undefined);
			const isSaid = reason === undefined || (since !== 0 && withheld.has(reason));
			if (reason !== undefined) withheld.add(reason);
			return {
				...told,
				problems: told.problems.filter(({ path }) => placeOf(path) === "inside"),
				unchecked: [...new Set([...told.unchecked, ...closed])],
				...(isSaid ? {} : { withheld: reason }),
			};
		},
		locate: async (of, at, signal) => {
			const placeOf = await judge();
			const told = await askAbout(at.path, signal, (inTime) => editor.locate({ of, at }, inTime));
			if (!told.ok) return told;
			const hits = told.locations.flatMap((location): readonly Hit[] => {
				const place = placeOf(location.path);
				return place === "closed" ? [] : [place === "inside" ? location : { ...location, isOutside: true }];
			});
			return { ok: true, hits: await addTexts(hits, peek), more: told.more };
		},
		outline: async (path, signal) => {
			const told = await askAbout(path, signal, (inTime) => editor.outline({ path }, inTime));
			return told.ok ? { ...told, symbols: told.symbols.filter((symbol) => symbol.path === path) } : told;
		},
		symbols: async (query, path, signal) => {
			const placeOf = await judge();
			const params = { query, ...(path === undefined ? {} : { path }) };
			const refusal = path === undefined ? undefined : await refuseOpening(path);
			if (refusal !== undefined) return { ok: false, reason: refusal };
			const told = await ask("symbols", signal, (inTime) => editor.symbols(params, inTime));
			// Libraries outside the workspace have thousands of symbols that nobody means.
			return told.ok ? { ...told, symbols: told.symbols.filter((symbol) => placeOf(symbol.path) === "inside") } : told;
		},
		hover: async (at, signal) => {
			const placeOf = await judge();
			// Its text comes from where the symbol is defined, which may be closed.
			const defined = await askAbout(at.path, signal, (inTime) => editor.locate({ of: "definition", at }, inTime));
			if (!defined.ok) return defined;
			if (defined.locations.some(({ path }) => placeOf(path) === "closed"))
				return { ok: false, reason: "It is defined in a file that you cannot read." };
			return askAbout(at.path, signal, (inTime) => editor.hover({ at }, inTime));
		},
		actions: ({ path, line }, signal) =>
			askAbout(path, signal, (inTime) => editor.actions({ path, ...(line === undefined ? {} : { line }) }, inTime)),
		action: async ({ path, line }, title, signal) => {
			const params = { path, title, ...(line === undefined ? {} : { line }) };
			const told = await askAbout(path, signal, (inTime) => editor.actions(params, inTime));
			if (!told.ok) return told;
			if (!told.titles.includes(title))
				return { ok: false, reason: `There is no fix with this title here.${listTitles(told.titles)}` };
			return readEdits(told, "This fix cannot be applied", await judge(), peek);
		},
		rename: async (at, newName, signal) => {
			const told = await askAbout(at.path, signal, (inTime) => editor.rename({ at, newName }, inTime));
			return told.ok ? readEdits(told, "It cannot be renamed", await judge(), peek) : told;
		},
		tasks: async (signal) => {
			const reason = await refuseOpening();
			if (reason !== undefined) return { ok: false, reason };
			return ask("tasks", signal, (inTime) => editor.tasks({}, inTime));
		},
	};
}

/** The edits with the texts that they are about, if all of these may be changed. */
async function readEdits(
	{ files, problem }: LanguageEdits,
	refusal: string,
	placeOf: (path: string) => PlaceKind,
	peek: LanguagePorts["peek"],
): Promise<Told<FoundEdits>> {
	if (problem !== undefined) return { ok: false, reason: `${refusal}: ${problem}` };
	if (files.length === 0) return { ok: false, reason: `${NO_ANSWER} The language may have no server here.` };
	if (files.some(({ path }) => placeOf(path) !== "inside"))
		return { ok: false, reason: `${refusal}: files outside the workspace, or closed ones, would change.` };
	const texts = await Promise.all(files.map(({ path }) => peek(path)));
	const failed = texts.find((text) => !text.ok);
	if (failed !== undefined && !failed.ok) return failed;
	return {
		ok: true,
		files: files.map(({ path, edits }, index) => {
			const text = texts[index];
			return { path, edits, text: text?.ok ? text.text : "" };
		}),
	};
}

function listTitles(titles: readonly string[]): string {
	return titles.length === 0 ? "" : ` There are:\n${titles.map(oneLine).join("\n")}`;
}

const NO_ANSWER = "The editor gave no answer.";

type PlaceKind = "inside" | "outside" | "closed";

function createJudge(policy: Policy): (path: string) => PlaceKind {
	const readable = readableIn(policy);
	const known = new Map<string, PlaceKind>();
	const judge = (path: string): PlaceKind => {
		// What is not a file has an address of its own, and nothing that could be read.
		if (!isAbsolute(path)) return "outside";
		const found = findRealPath(path);
		if (isReadableAt(found, readable)) return "inside";
		return [found.real, ...found.via, path].some((name) => accessTo(policy, name) === "none") ? "closed" : "outside";
	};
	return (path) => {
		const place = known.get(path) ?? judge(path);
		known.set(path, place);
		return place;
	};
}

/** The lines at the places, of files in the workspace. */
async function addTexts(hits: readonly Hit[], peek: LanguagePorts["peek"]): Promise<readonly Hit[]> {
	const paths = [...new Set(hits.flatMap(({ path, isOutside }) => (isOutside ? [] : [path])))].slice(0, MAX_PREVIEWED);
	const texts = new Map(
		await Promise.all(
			paths.map(async (path) => {
				const file = await peek(path);
				return [path, file.ok ? file.text.split(/\r\n|\n|\r/) : []] as const;
			}),
		),
	);
	return hits.map((hit) => {
		const text = texts.get(hit.path)?.[hit.line];
		return text === undefined ? hit : { ...hit, text };
	});
}
