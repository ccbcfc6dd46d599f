import { readlinkSync } from "node:fs";
import { Server } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { PROXY_PORT } from "../../command/command-environment.ts";
import { type ContainedProcess, killGroup, spawnHolder } from "../../launch.ts";

/**
 * A network with a loopback and nothing else, and a listener in it that the host holds. Whoever connects was started in
 * this network; nobody else, on this machine or another, can.
 */
export interface PrivateNetwork {
	/** The process that keeps the network; another is started in it by naming this one. */
	readonly pid: number;
	readonly listener: Server;
	readonly close: () => void;
}

/** Networks for commands, one each. From the second on, the next one is made while nobody waits for it. */
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

/** Runs in the new network: a listening socket belongs to the network it was made in, wherever it is sent. */
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
			if (typeof pid !== "number" || !(listener instanceof Server) || networkOf(pid) === networkOf("self"))
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

/** Neither keeps the host from ending. */
function release(holder: ContainedProcess, listener: Server): void {
	holder.unref();
	listener.unref();
	if (holder.connected) holder.disconnect();
}

/** Waits until a process is in the network it was started for. Until then it has not been let go on. */
export async function whenJoined(pid: number, network: PrivateNetwork): Promise<void> {
	const wanted = networkOf(network.pid);
	for (const end = performance.now() + JOIN_MS; performance.now() < end; await wait(1)) {
		if (wanted !== undefined && networkOf(pid) === wanted) return;
	}
	throw new Error("the command did not join its own network.");
}

function networkOf(pid: number | "self"): string | undefined {
	try {
		return readlinkSync(`/proc/${pid}/ns/net`);
	} catch {
		return undefined;
	}
}
