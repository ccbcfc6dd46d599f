import * as z from "zod";
import { createCallLimit } from "../call-limit.ts";
import { createObjectEnd } from "./object-end.ts";

/** A piece of a call as servers send it: any field may be missing, repeated or empty. */
export const CallPiece = z.object({
	index: z
		.union([
			z.int(),
			z
				.string()
				.regex(/^\d{1,6}$/)
				.transform(Number),
		])
		.nullish(),
	id: z.union([z.string(), z.number().transform(String)]).nullish(),
	/** Opaque: a signature of the provider's. */
	extra_content: z.record(z.string(), z.unknown()).nullish().catch(undefined),
	function: z.object({ name: z.string().nullish(), arguments: z.unknown().optional() }).partial().nullish(),
});
export type CallPiece = z.infer<typeof CallPiece>;

export interface AssembledCall {
	readonly id: string;
	readonly name: string;
	readonly arguments: string;
	readonly extra?: { readonly extra_content: Readonly<Record<string, unknown>> };
}

interface OpenCall {
	readonly index: number | undefined;
	readonly order: number;
	id: string;
	name: string;
	readonly parts: string[];
	chars: number;
	/** Takes each of the parts. */
	readonly hasEnded: (part: string) => boolean;
	isWhole: boolean;
	extra: AssembledCall["extra"];
}

/** Assembles calls from pieces that arrive in any order, for several calls at once. */
export interface CallAssembler {
	/** Returns which call the piece belongs to and what it adds. */
	readonly add: (piece: CallPiece) => { readonly order: number; readonly name: string; readonly text: string };
	/** All calls, in the order of their index. Call only when the answer is complete. */
	readonly calls: () => readonly AssembledCall[];
}

export function createCallAssembler(): CallAssembler {
	const open: OpenCall[] = [];
	const byId = new Map<string, OpenCall>();
	/** The call that was started last at an index. */
	const byIndex = new Map<number, OpenCall>();
	const limit = createCallLimit();

	const begin = (index: number | undefined): OpenCall => {
		limit.addCall();
		const call: OpenCall = {
			...{ index, order: open.length, id: "", name: "", parts: [], chars: 0, extra: undefined },
			...{ hasEnded: createObjectEnd(), isWhole: false },
		};
		open.push(call);
		if (index !== undefined) byIndex.set(index, call);
		return call;
	};
	/**
	 * The call that a piece belongs to. Some servers give every call index 0 and distinguish them by id, some send no
	 * index.
	 */
	const findCall = ({ index, id, function: said }: CallPiece): OpenCall => {
		const known = id ? byId.get(id) : undefined;
		const isElsewhere = typeof index === "number" && known?.index !== undefined && known.index !== index;
		if (known !== undefined && !(isElsewhere && said?.name)) return known;
		// Some count pieces instead of calls: what has neither name nor id goes on with the last one, if it can.
		const last = open.at(-1);
		const isRest = !id && !said?.name && last !== undefined && last.name !== "" && !last.isWhole;
		const at = typeof index === "number" ? (byIndex.get(index) ?? (isRest ? last : undefined)) : last;
		if (at === undefined) return begin(index ?? undefined);
		if (id && at.id !== "" && at.id !== id) return begin(index ?? undefined);
		// Without an index and an id, a name starts the next call.
		if (!id && typeof index !== "number" && said?.name && at.chars > 0) return begin(undefined);
		// Some give all calls one index and no id, and send each of them whole.
		return !id && isNext(at, said) ? begin(index ?? undefined) : at;
	};

	return {
		add(piece) {
			const call = findCall(piece);
			if (piece.id && call.id === "") {
				call.id = piece.id;
				byId.set(piece.id, call);
			}
			if (piece.extra_content) call.extra = { extra_content: piece.extra_content };
			call.name = joinName(call, piece.function?.name ?? "");
			const text = toText(piece.function?.arguments);
			const { order, name } = call;
			if (text === "" || isRepeat(call, text)) return { order, name, text: "" };
			// Some servers begin with an empty object; the arguments come after it.
			if (text.trimStart().startsWith("{") && isEmptyObject(call.parts)) dropParts(call);
			limit.addText(text);
			call.parts.push(text);
			call.chars += text.length;
			call.isWhole = call.hasEnded(text);
			return { order, name, text: isEmptyObject(call.parts) ? "" : text };
		},
		calls: () => {
			const calls = open
				.filter((call) => call.name !== "" || call.chars > 0)
				.toSorted((a, b) => (a.index ?? a.order) - (b.index ?? b.order) || a.order - b.order)
				.map(({ id, name, parts, extra }) => {
					return {
						id,
						name: plainName(name),
						arguments: parts.join("") || "{}",
						...(extra === undefined ? {} : { extra }),
					};
				});
			return withoutRepeats(calls);
		},
	};
}

/** A careless server may use one id for two calls, but the same call under the same id is a repetition. */
function withoutRepeats(calls: readonly AssembledCall[]): readonly AssembledCall[] {
	const seen = new Set<string>();
	return calls.filter((call) => {
		const said = JSON.stringify(call);
		return call.id === "" || (!seen.has(said) && seen.add(said));
	});
}

/** Whether a piece can only belong to another call: nothing but a repetition can follow whole arguments. */
function isNext(at: OpenCall, said: CallPiece["function"]): boolean {
	if (at.id !== "" || at.name === "" || !said?.name || !at.isWhole) return false;
	const text = toText(said.arguments);
	return said.name !== at.name || (text.trim() !== "" && !isRepeat(at, text));
}

/** Names arrive whole, in pieces, or again with every piece. */
function joinName(call: OpenCall, piece: string): string {
	if (piece === "" || piece === call.name || call.chars > 0) return call.name || piece;
	return piece.startsWith(call.name) ? piece : call.name + piece;
}

/** Some servers leave parts of gpt-oss's own format in a name: `functions.read_file`, `read_file<|channel|>commentary`. */
function plainName(name: string): string {
	const [plain = ""] = name.replace(/^functions\./, "").split("<|");
	return plain.trim() || name;
}

/** Whole arguments sent a second time: nothing can follow a complete JSON value. */
function isRepeat(call: OpenCall, text: string): boolean {
	return call.chars === text.length && call.parts.join("") === text && isWhole(text);
}

function isEmptyObject([first, ...more]: readonly string[]): boolean {
	return first !== undefined && more.length === 0 && /^\s*\{\s*\}\s*$/.test(first);
}

function dropParts(call: OpenCall): void {
	call.parts.length = 0;
	call.chars = 0;
}

function isWhole(text: string): boolean {
	try {
		JSON.parse(text);
		return text.startsWith("{");
	} catch {
		return false;
	}
}

function toText(value: unknown): string {
	if (typeof value === "string") return value;
	return value === undefined || value === null ? "" : JSON.stringify(value);
}
