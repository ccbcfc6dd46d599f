import { createCipheriv, createHmac, createSecretKey, timingSafeEqual } from "node:crypto";

/** Upper bound of the bytes that a seal, and the seal that it refers to, add to a line. */
export const SEAL_BYTES = 168;

/** Proves that this host wrote records: bound to their thread, their place and every byte of them. */
export interface SealKey {
	/** The JSON of a record with its seal as the last field. */
	readonly seal: (threadId: string, json: string) => string;
	/** Whether the JSON of a line has this key's seal for that thread. */
	readonly holds: (threadId: string, json: string) => boolean;
	/** Proves that a seal is the newest of a thread's rights. */
	readonly pin: (threadId: string, seal: string) => string;
	/** Proves what was kept of a thread to save work. `salt`: never the same for other bytes. */
	readonly state: (threadId: string, salt: string, bytes: Buffer) => string;
	/** Proves an answer of the user about what a workspace brings along. */
	readonly consent: (about: string, text: string) => string;
}

const FIELD = ',"seal":"';
const END = '"}';
/** Length of a SHA-256 in hexadecimal digits. */
const SEAL_CHARS = 64;
const NONCE = Buffer.alloc(12);
const TAIL_CHARS = FIELD.length + SEAL_CHARS + END.length;

export function createSealKey(key: Buffer): SealKey {
	// Handed to every seal as bytes, it would be imported each time, which takes longer than the seal.
	const secret = createSecretKey(key);
	// Sealed data begins with its kind, so that no seal of one kind passes for another.
	const mac = (what: "record" | "newest" | "consent" | "state", about: string, text: string | Buffer): string =>
		createHmac("sha256", secret)
			.update(`${["vitrine", what, about].join(" ")}\n`)
			.update(text)
			.digest("hex");
	return {
		seal: (threadId, json) => `${json.slice(0, -1)}${FIELD}${mac("record", threadId, json)}${END}`,
		holds: (threadId, json) => {
			const seal = readSeal(json);
			return seal !== undefined && isSame(mac("record", threadId, `${json.slice(0, -TAIL_CHARS)}}`), seal);
		},
		pin: (threadId, seal) => mac("newest", threadId, seal),
		// Many times as fast as the others, because these are megabytes. Its key is for one use, so its nonce can be fixed.
		state: (threadId, salt, bytes) => {
			const once = Buffer.from(mac("state", threadId, salt), "hex");
			const tag = createCipheriv("aes-256-gcm", once, NONCE).setAAD(bytes);
			tag.final();
			return tag.getAuthTag().toString("hex");
		},
		consent: (about, text) => mac("consent", about, text),
	};
}

/** The seal at the end of a line's JSON, regardless of its author. */
export function readSeal(json: string): string | undefined {
	const tail = json.slice(-TAIL_CHARS);
	const isSeal = tail.startsWith(FIELD) && tail.endsWith(END);
	return isSeal ? tail.slice(FIELD.length, -END.length) : undefined;
}

export function isSame(a: string, b: string): boolean {
	const [one, other] = [Buffer.from(a), Buffer.from(b)];
	return one.length === other.length && timingSafeEqual(one, other);
}
