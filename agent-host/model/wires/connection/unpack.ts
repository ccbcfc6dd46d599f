import { pipeline, type Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
// The end of an answer is known without the end mark of its compression, which some servers leave out.
const ZLIB = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
const BROTLI = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH };

/** How servers compress, by the name in the header. Node has Zstandard since 22.15. */
const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map([
	["gzip", () => zlib.createGunzip(ZLIB)],
	["x-gzip", () => zlib.createGunzip(ZLIB)],
	["deflate", () => zlib.createInflate(ZLIB)],
	["br", () => zlib.createBrotliDecompress(BROTLI)],
	...(zlib.createZstdDecompress === undefined ? [] : [["zstd", () => zlib.createZstdDecompress()] as const]),
]);

/** No honest server compresses more often than this. */
const MOST_CODINGS = 2;

/**
 * A body without its compression, piece by piece as it arrives. None is asked for, but some gateways compress whatever
 * they pass on. A body in an unknown coding is left as it is.
 */
export function unpack(body: Readable, contentEncoding: string): Readable {
	const codings = contentEncoding.toLowerCase().split(",").flatMap(nameOf);
	const unpackers = codings.flatMap((coding) => UNPACKERS.get(coding) ?? []);
	if (unpackers.length !== codings.length || codings.length > MOST_CODINGS) return body;
	// The one that was applied last is taken off first.
	return unpackers.reduceRight<Readable>((packed, create) => pipeline(packed, create(), () => undefined), body);
}

function nameOf(part: string): readonly string[] {
	const coding = part.trim();
	return coding === "" || coding === "identity" ? [] : [coding];
}
