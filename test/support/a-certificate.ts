import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** A certificate and its key, as servers want them. */
export interface Certificate {
	readonly name: string;
	/** PEM */
	readonly cert: string;
	readonly key: KeyObject;
}

/** An authority that nobody trusts yet. */
export function anAuthority(name: string): Certificate {
	return issue(name, undefined, [extension(BASIC_CONSTRAINTS, sequence(TRUE), "critical")]);
}

/** A certificate for one host name, by an authority or by itself. */
export function aCertificate(host: string, authority: Certificate | undefined): Certificate {
	return issue(host, authority, [extension(ALTERNATIVE_NAMES, sequence(der(0x82, Buffer.from(host))), "plain")]);
}

const DAY_MS = 86_400_000;
const TRUE = Buffer.from([0x01, 0x01, 0xff]);
const VERSION_3 = Buffer.from([0xa0, 0x03, 0x02, 0x01, 0x02]);
const COMMON_NAME = oid("550403");
const BASIC_CONSTRAINTS = oid("551d13");
const ALTERNATIVE_NAMES = oid("551d11");
const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));

function issue(name: string, issuer: Certificate | undefined, extensions: readonly Buffer[]): Certificate {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const told = sequence(
		VERSION_3,
		der(0x02, Buffer.from([0x01, ...randomBytes(8)])),
		ECDSA_WITH_SHA256,
		nameOf(issuer?.name ?? name),
		sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
		nameOf(name),
		publicKey.export({ type: "spki", format: "der" }),
		der(0xa3, sequence(...extensions)),
	);
	const signature = createSign("sha256")
		.update(told)
		.sign(issuer?.key ?? privateKey);
	const whole = sequence(told, ECDSA_WITH_SHA256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
	const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
	const cert = ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
	return { name, cert, key: privateKey };
}

function nameOf(name: string): Buffer {
	return sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
}

function extension(id: Buffer, value: Buffer, weight: "critical" | "plain"): Buffer {
	return sequence(id, ...(weight === "critical" ? [TRUE] : []), der(0x04, value));
}

function time(at: number): Buffer {
	const digits = new Date(at).toISOString().replaceAll(/\D/g, "").slice(2, 14);
	return der(0x17, Buffer.from(`${digits}Z`));
}

function oid(hex: string): Buffer {
	return der(0x06, Buffer.from(hex, "hex"));
}

function sequence(...parts: readonly Buffer[]): Buffer {
	return der(0x30, Buffer.concat(parts));
}

/** One value in DER: what it is, how long it is, and itself. */
function der(tag: number, body: Buffer): Buffer {
	const { length } = body;
	const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...size]), body]);
}
