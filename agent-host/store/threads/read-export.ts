import * as z from "zod";
import { HostError } from "../../protocol/errors.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { Admission } from "../records/admit-records.ts";
import { hashJson, inlineParts } from "../records/externalize.ts";
import {
	CHECKSUM_CHARS,
	checkedJson,
	RECORD_VERSION,
	RecordBody,
	Reference,
	type ThreadRecord,
} from "../records/record.ts";

/** Limit for an imported thread. */
const MAX_IMPORT_CHARS = 200_000_000;
/** Limit for missing numbers between two records: those that a repair removed. */
const MAX_GAP = 100_000;

/** A blob as a line of an exported thread. */
const BlobLine = z.object({ blob: z.string(), json: z.string() });

/** A record from an untrusted source. */
const RecordLine = z.object({
	v: z.literal(RECORD_VERSION),
	n: z.int().min(1),
	at: z.number().min(0).max(8.64e15),
	body: RecordBody,
	refs: z.array(Reference).optional(),
	after: z.string().optional(),
	seal: z.string().optional(),
});

type Header = ThreadRecord & { readonly body: Extract<ThreadRecord["body"], { readonly kind: "thread" }> };

export function checkImportLength(text: string): void {
	if (text.length > MAX_IMPORT_CHARS) throw refuse(say("import-too-long", { most: MAX_IMPORT_CHARS }));
}

/** Reads the output of `exportRecords`: complete records, in order and of one thread, or a refusal. */
export async function readExport(
	text: string,
): Promise<{ readonly header: Header; readonly rest: readonly ThreadRecord[] }> {
	checkImportLength(text);
	const records = await parseLines(text);
	const [first, ...rest] = records;
	if (first?.body.kind !== "thread") throw refuse(say("import-no-header"));
	if (rest.some(({ body }) => body.kind === "thread")) throw refuse(say("import-many-threads"));
	checkOrder(records);
	return { header: { ...first, body: first.body }, rest };
}

/**
 * Every record complete, with its references, or a refusal. `admit` decides what counts of each, given the JSON of its
 * line.
 */
export async function parseLines(text: string, admit?: Admission["admit"]): Promise<readonly ThreadRecord[]> {
	const blobs = new Map<string, string>();
	const records: { readonly record: ThreadRecord; readonly json: string }[] = [];
	for (const [index, line] of text.split("\n").entries()) {
		if (line === "") continue;
		const value = checkedJson(line);
		if (value === undefined) throw refuse(say("import-line-damaged", { line: index + 1 }));
		const blob = BlobLine.safeParse(value);
		if (blob.success) {
			if (hashJson(blob.data.json) !== blob.data.blob) throw refuse(say("import-line-damaged", { line: index + 1 }));
			blobs.set(blob.data.blob, blob.data.json);
			continue;
		}
		const record = parseOne(value);
		if (record === undefined) throw refuse(say("import-line-unknown", { line: index + 1 }));
		records.push({ record, json: line.slice(CHECKSUM_CHARS + 1) });
	}
	const whole = await Promise.all(
		records.map(async ({ record, json }) => {
			const made = await makeWhole(record, blobs);
			return admit === undefined ? [made] : [admit(made, json) ?? []].flat();
		}),
	);
	return whole.flat();
}

function parseOne(value: unknown): ThreadRecord | undefined {
	try {
		// Optional fields of the schema are absent or have their type, as in a record.
		return RecordLine.safeParse(value).data as ThreadRecord | undefined;
	} catch {
		// Nested so deeply that parsing it overflows the stack.
		return undefined;
	}
}

async function makeWhole(record: ThreadRecord, blobs: ReadonlyMap<string, string>): Promise<ThreadRecord> {
	const whole = await inlineParts(record, async (sha256) => blobs.get(sha256), "all");
	if (whole.refs !== undefined) throw refuse(say("import-text-missing"));
	// Values from a blob have not been checked yet.
	if (record.refs !== undefined && parseOne(whole) === undefined) throw refuse(say("import-text-damaged"));
	return whole;
}

function checkOrder(records: readonly ThreadRecord[]): void {
	let [n, seq] = [0, 0];
	for (const { n: number, body } of records) {
		const isNext = number > n && number <= n + MAX_GAP;
		const isNextEvent = body.kind !== "event" || (body.seq > seq && body.seq <= seq + MAX_GAP);
		if (!isNext || !isNextEvent) throw refuse(say("import-disorder"));
		n = number;
		if (body.kind === "event") seq = body.seq;
	}
}

export function refuse(said: Said): HostError {
	return new HostError("input-refused", said);
}
