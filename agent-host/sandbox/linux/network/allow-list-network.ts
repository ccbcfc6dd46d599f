import type { AskHost, HostRule } from "../../../network/host-rules.ts";
import { SYSTEM_NETWORK } from "../../../network/network-ports.ts";
import type { CommandProxy } from "../../../network/proxy.ts";
import type { Refusal, RunningCommand } from "../../backend.ts";
import type { ContainedProcess, Joined } from "../../launch.ts";
import type { HeldCommand } from "../hold-back.ts";
import { type PrivateNetwork, type PrivateNetworks, waitUntilJoined } from "./private-network.ts";

/** The hosts a command may reach, and the program that starts it in a network that only leads to our proxy. */
export interface Egress {
	readonly rules: readonly HostRule[];
	readonly nsenter: string;
	readonly ask: AskHost | undefined;
}

/** A command's own network, and the host's proxy as its only way out. Both end with the command. */
export interface OpenEgress {
	readonly joined: Joined;
	readonly refusedHosts: CommandProxy["refusedHosts"];
	/** Lets a waiting command begin, after verifying that it is in its network and no other. */
	readonly release: (
		child: ContainedProcess,
		running: RunningCommand,
		begin: HeldCommand["release"],
	) => Promise<RunningCommand | Refusal>;
	readonly close: () => void;
}

export async function openEgress({ rules, nsenter, ask }: Egress, networks: PrivateNetworks): Promise<OpenEgress> {
	// Loaded on demand: few commands need it, and Node's HTTP server would add a fifth to the host's start time.
	const { createProxy } = await import("../../../network/proxy.ts");
	const network = await networks.take();
	const proxy = createProxy(rules, SYSTEM_NETWORK, undefined, ask);
	network.listener.on("connection", proxy.accept);
	return {
		joined: { nsenter, pid: network.pid },
		refusedHosts: proxy.refusedHosts,
		release: (child, running, begin) => release(child, running, begin, network),
		close: () => {
			proxy.close();
			network.close();
		},
	};
}

async function release(
	child: ContainedProcess,
	running: RunningCommand,
	begin: HeldCommand["release"],
	network: PrivateNetwork,
): Promise<RunningCommand | Refusal> {
	// A missing child is in no network: the wait ends with the command.
	const joined = waitUntilJoined(child.pid ?? 0, network).then(() => "joined" as const);
	const first = await Promise.race([joined.catch(() => "lost" as const), running.ended.then(() => "ended" as const)]);
	if (first === "joined") {
		begin();
		return running;
	}
	running.stop();
	const ended = await running.ended;
	if (ended.state === "refused") return ended;
	return {
		state: "refused",
		code: "sandbox-unavailable",
		reason: "The command did not join its own network, so it was not started.",
	};
}
