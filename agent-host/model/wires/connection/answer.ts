import type { TokenCount } from "../../../protocol/thread/events.ts";
import { type ModelEvent, ModelFailure, type ModelRequest } from "../../port.ts";
import { brokenStreamFailure, nonsenseFailure } from "../refusals/failure.ts";
import { ALIVE, DONE, NONSENSE, openBody, readMessage } from "./http.ts";
import { addEvent, joinEvents } from "./join-events.ts";
import type { Path } from "./paths.ts";

export interface Question {
	readonly path: Path;
	readonly body: object;
	readonly model: string;
	readonly reader: WireReader;
	/** Whether an answer without words and calls counts. */
	readonly mayBeSilent?: boolean;
}

/** After the output of its calls a model may end without words: the work is done, and asking again gives no more. */
export function mayBeSilent({ input }: ModelRequest): boolean {
	return input.at(-1)?.kind === "toolOutput";
}

/** Reads the answers of one wire: a state machine that never sees a connection. */
export interface WireReader {
	/** Returns the events of one message of the stream. Throws a `ModelFailure` if the server reports one. */
	readonly read: (message: unknown) => readonly ModelEvent[];
	/** Handles the end of the stream, announced or not: returns `completed` last if the answer is complete. */
	readonly end: (how: "announced" | "closed") => readonly ModelEvent[];
	/** What the server has counted so far, if it says so before the end or in place of it. */
	readonly usage: () => TokenCount | undefined;
	/** Whether the answer may be complete although its end has not arrived. */
	readonly isOver: () => boolean;
}

/** Time for usage and the end marker after a complete answer. Some servers send neither and never close. */
const TAIL_MS = 3_000;

/** Time for a server to close a finished response, so that the connection can be reused. */
const REST_MS = 1_000;

/** Reads one answer to its end. Throws if it is incomplete, so that nothing is done by halves. */
export async function* readAnswer(
	body: AsyncIterable<Uint8Array>,
	reader: WireReader,
	{ origin, signal, hangUp }: Connection,
): AsyncGenerator<readonly ModelEvent[]> {
	const pieces = openBody(body);
	const readCount = createCounter(reader);
	let isHeardOut = false;
	let understood = false;
	let how: "announced" | "closed" = "closed";
	try {
		for (;;) {
			const step = await nextUnlessQuiet(pieces, reader.isOver());
			if (step === undefined || step.done) break;
			const { events: said, isUnderstood, end } = readPiece(reader, step.value, origin);
			understood ||= isUnderstood;
			const events = end?.kind === "completed" ? said : [...said, ...readCount()];
			isHeardOut = end?.kind === "completed" || end?.kind === "announced";
			// Also before a failure: what was said until then counts.
			if (events.length > 0) yield joinEvents(events);
			if (end?.kind === "failed") throw end.error;
			if (end?.kind === "completed") return;
			if (end?.kind === "announced") {
				how = "announced";
				break;
			}
		}
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof ModelFailure) throw error;
		// The connection died. If the answer was already complete, nothing is missing.
		const last = reader.end("closed");
		if (last.at(-1)?.type !== "completed") throw error;
		yield last;
		return;
	} finally {
		if (isHeardOut) void readOn(pieces, hangUp);
		else {
			hangUp();
			void pieces.return(undefined);
		}
	}
	signal.throwIfAborted();
	const last = reader.end(how);
	if (last.length > 0) yield last;
	if (last.at(-1)?.type !== "completed") throw understood ? brokenStreamFailure() : nonsenseFailure(origin);
}

/** Each count once: a server may repeat it with every message. */
function createCounter(reader: WireReader): () => readonly ModelEvent[] {
	let known: TokenCount | undefined;
	return () => {
		const usage = reader.usage();
		if (usage === undefined || isSameCount(usage, known)) return [];
		known = usage;
		return [{ type: "counted", usage }];
	};
}

function isSameCount(a: TokenCount, b: TokenCount | undefined): boolean {
	return b !== undefined && a.input === b.input && a.cached === b.cached && a.output === b.output;
}

/** The server, and how to disconnect from it. */
export interface Connection {
	readonly origin: string;
	readonly signal: AbortSignal;
	/** Closes the connection, also in the middle of a read. */
	readonly hangUp: () => void;
}

async function readOn(pieces: AsyncIterator<unknown>, hangUp: () => void): Promise<void> {
	const late = setTimeout(hangUp, REST_MS).unref();
	try {
		while (!(await pieces.next()).done);
	} catch {
		// Errors after a complete answer are irrelevant.
	} finally {
		clearTimeout(late);
		hangUp();
	}
}

/** What a piece of an answer says, up to the end of the answer if that is in it. */
interface Piece {
	readonly events: readonly ModelEvent[];
	readonly isUnderstood: boolean;
	readonly end?:
		| { readonly kind: "completed" | "announced" }
		| { readonly kind: "failed"; readonly error: ModelFailure }
		| undefined;
}

function readPiece(reader: WireReader, piece: readonly string[], origin: string): Piece {
	const events: ModelEvent[] = [];
	let isUnderstood = false;
	const hear = (data: string): Piece["end"] => {
		const message = readMessage(data);
		if (message === DONE) return { kind: "announced" };
		if (message === NONSENSE) {
			// Some servers leave out the empty lines between events.
			if (data.includes("\n")) return hearAll(data.split("\n"));
			return { kind: "failed", error: nonsenseFailure(origin) };
		}
		const said = message === ALIVE ? [] : reader.read(message);
		isUnderstood ||= message !== ALIVE;
		if (said.length === 0) addEvent(events, SIGN_OF_LIFE);
		for (const event of said) addEvent(events, event);
		return said.at(-1)?.type === "completed" ? { kind: "completed" } : undefined;
	};
	const hearAll = (all: readonly string[]): Piece["end"] => {
		for (const data of all) {
			const end = hear(data);
			if (end !== undefined) return end;
		}
		return undefined;
	};
	try {
		const end = hearAll(piece);
		return { events, isUnderstood, end };
	} catch (error) {
		// Any other error while reading is the message's fault: it may be nested too deeply.
		const failure = error instanceof ModelFailure ? error : nonsenseFailure(origin);
		return { events, isUnderstood, end: { kind: "failed", error: failure } };
	}
}

const SIGN_OF_LIFE: ModelEvent = { type: "alive" };

/** The next piece, or nothing if a complete answer has gone silent. */
function nextUnlessQuiet<T>(pieces: AsyncIterator<T>, isOver: boolean): Promise<IteratorResult<T> | undefined> {
	const next = pieces.next();
	if (!isOver) return next;
	const quiet = Promise.withResolvers<undefined>();
	const timer = setTimeout(() => quiet.resolve(undefined), TAIL_MS);
	return Promise.race([next, quiet.promise]).finally(() => clearTimeout(timer));
}
