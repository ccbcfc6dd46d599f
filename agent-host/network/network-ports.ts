import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { type Block, blockAround, parseAddress } from "./addresses.ts";

/** The proxy's network access: by the addresses of a name, each checked before it is dialled. */
export interface NetworkPorts {
	readonly lookup: (name: string) => Promise<readonly string[]>;
	/** Connects to an address, never to a name, so that the checked address is the one reached. */
	readonly dial: (address: string, port: number) => Promise<Duplex>;
	/** This machine and its neighbours, whatever their addresses look like. */
	readonly nearby: () => readonly Block[];
}

const DIAL_MS = 10_000;

/** This machine's resolver and network. */
export const SYSTEM_NETWORK: NetworkPorts = {
	lookup: async (name) => {
		const { lookup } = await import("node:dns/promises");
		return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
	},
	dial: (address, port) =>
		new Promise<Socket>((resolve, reject) => {
			const socket = connect({ host: address, port, noDelay: true });
			const timer = setTimeout(() => socket.destroy(new Error("It did not answer in time.")), DIAL_MS);
			socket.once("error", reject).once("close", () => clearTimeout(timer));
			socket.once("connect", () => {
				clearTimeout(timer);
				socket.off("error", reject);
				resolve(socket);
			});
		}),
	nearby: () => {
		const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
		return all
			.map(({ address }) => parseAddress(address))
			.flatMap((address) => (address ? [blockAround(address)] : []));
	},
};
