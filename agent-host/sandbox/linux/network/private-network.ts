import { readlinkSync } from "node:fs";
import { Server } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { PROXY_PORT } from "../../command/command-environment.ts";
import { type ContainedProcess, killGroup, spawnHolder } from "../../launch.ts";

/**
 * A network with only a loopback, and a listener in it that the host holds. Only processes started in this network can
 * connect.
 */
export interface PrivateNetwork {
	/** The process that keeps the network alive; others join it by naming this one. */
	readonly pid: number;
	readonly listener: Server;
	readonly close: () => void;
}

/** Networks for commands, one each. From the second on, the next one is created in advance. */
export interface PrivateNetworks {
	readonly take: () => Promise<PrivateNetwork>;
}

const MAKE_MS = 10_000;
const JOIN_MS = 5_000;

export function createPrivateNetworks(bwrap: string): PrivateNetworks {
	let spare: Promise<PrivateNetwork | undefined> | undefined;
	let taken = 0;
	return {
		take: async () => {
			taken += 1;
			const ready = spare;
			spare = undefined;
			const network = (await ready) ?? (await makeNetwork(bwrap));
			if (taken > 1) spare ??= makeNetwork(bwrap).catch(() => undefined);
			return network;
		},
	};
}

/** Runs in the new network: a listening socket belongs to the network it was created in, wherever it is sent. */
const LISTEN = `const s=require("node:net").createServer();s.listen(${PROXY_PORT},"127.0.0.1",()=>process.send(process.ppid,s,()=>process.exit()))`;

function makeNetwork(bwrap: string): Promise<PrivateNetwork> {
	return new Promise((resolve, reject) => {
		const holder = spawnHolder(bwrap, LISTEN);
		const fail = (): void => {
			killGroup(holder);
			reject(new Error("The command's network could not be set up."));
		};
		const timer = setTimeout(fail, MAKE_MS);
		// It may be gone before its input is closed.
		holder.stdin?.on("error", () => undefined);
		holder.on("error", fail).once("exit", fail);
		holder.once("message", (pid, listener) => {
			clearTimeout(timer);
			if (typeof pid !== "number" || !(listener instanceof Server) || readNetworkId(pid) === readNetworkId("self"))
				return fail();
			release(holder, listener);
			const close = (): void => {
				listener.close();
				killGroup(holder);
			};
			resolve({ pid, listener, close });
		});
	});
}

/** Prevents both from keeping the host alive. */
function release(holder: ContainedProcess, listener: Server): void {
	holder.unref();
	listener.unref();
	if (holder.connected) holder.disconnect();
}

/** Waits until a process is in the network it was started for. Until then it may not continue. */
export async function waitUntilJoined(pid: number, network: PrivateNetwork): Promise<void> {
	const wanted = readNetworkId(network.pid);
	for (const end = performance.now() + JOIN_MS; performance.now() < end; await wait(1)) {
		if (wanted !== undefined && readNetworkId(pid) === wanted) return;
	}
	throw new Error("the command did not join its own network.");
}

function readNetworkId(pid: number | "self"): string | undefined {
	try {
		return readlinkSync(`/proc/${pid}/ns/net`);
	} catch {
		return undefined;
	}
}
