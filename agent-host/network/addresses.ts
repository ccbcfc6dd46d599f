/** An IP address as its bytes, four or sixteen. */
export type Address = readonly number[];

/** Reads an address only in its canonical form; returns undefined for `0177.1`, `2130706433` and zones. */
export function parseAddress(text: string): Address | undefined {
	return text.includes(":") ? parseV6(text) : parseV4(text);
}

export function sameAddress(one: Address, other: Address): boolean {
	return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/**
 * Whether an address is on the public network: not this machine, the local network, the provider's network, a cloud's
 * metadata service, multicast or documentation.
 */
export function isPublic(address: Address): boolean {
	if (address.length === 4) return !isInAny(CLOSED_V4, address);
	// A NAT64 address is as public as the IPv4 address in it.
	if (isWithin(address, NAT64)) return isPublic(address.slice(12));
	return isWithin(address, GLOBAL_V6) && !isInAny(CLOSED_V6, address);
}

/** How much of an IPv6 address names the network that a machine is in. */
const LINK_BITS = 64;

/** The machine that has this address, and for IPv6 also its neighbours, whose addresses look as public as its own. */
export function blockAround(address: Address): Block {
	return { start: address, bits: address.length === 4 ? 32 : LINK_BITS };
}

export function isInAny(blocks: readonly Block[], address: Address): boolean {
	return blocks.some((block) => isWithin(address, block));
}

/** All addresses that begin with the same bits. */
export interface Block {
	readonly start: Address;
	readonly bits: number;
}

function block(text: string): Block {
	const [start = "", bits = ""] = text.split("/");
	return { start: parseAddress(start) ?? [], bits: Number(bits) };
}

const CLOSED_V4 = [
	...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
	...["192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"],
	...["192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
	// Cloud services on an address that looks public.
	"168.63.129.16/32",
].map(block);

const GLOBAL_V6 = block("2000::/3");
const NAT64 = block("64:ff9b::/96");
/** Tunnels that embed an arbitrary IPv4 address, and ranges reserved for protocols and documentation. */
const CLOSED_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(block);

function isWithin(address: Address, { start, bits }: Block): boolean {
	if (address.length !== start.length) return false;
	return address.every((byte, index) => {
		const mask = (0xff00 >> Math.min(8, Math.max(0, bits - index * 8))) & 0xff;
		return (byte & mask) === ((start[index] ?? 0) & mask);
	});
}

function parseV4(text: string): Address | undefined {
	const parts = text.split(".");
	const isPlain = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
	return isPlain ? parts.map(Number) : undefined;
}

function parseV6(text: string): Address | undefined {
	const halves = text.split("::");
	if (halves.length > 2) return undefined;
	const [before, after] = halves.map(parseGroups);
	if (before === undefined) return undefined;
	if (halves.length === 1) return before.length === 16 ? before : undefined;
	if (after === undefined || before.length + after.length > 14) return undefined;
	return [...before, ...new Array<number>(16 - before.length - after.length).fill(0), ...after];
}

function parseGroups(text: string): readonly number[] | undefined {
	if (text === "") return [];
	const bytes: number[] = [];
	for (const group of text.split(":")) {
		if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined;
		const value = Number.parseInt(group, 16);
		bytes.push(value >> 8, value & 0xff);
	}
	return bytes;
}
