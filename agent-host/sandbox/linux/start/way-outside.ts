import { SYSTEM_NETWORK } from "../../../network/ports.ts";
import { type CommandProxy, createProxy } from "../../../network/proxy.ts";
import type { WayOut } from "../../command/prepare.ts";
import type { ContainedProcess, Joined } from "../../launch.ts";
import { type OwnNetworks, whenJoined } from "./own-network.ts";

/** A command's own network, and the proxy in the host that is the only way out of it. Both end with the command. */
export interface WayOutside {
	readonly joined: Joined;
	readonly refusedHosts: CommandProxy["refusedHosts"];
	/** Resolves when a command that waits is proved to be in its network and no other. */
	readonly whenJoined: (child: ContainedProcess) => Promise<void>;
	readonly close: () => void;
}

export async function openWay({ rules, nsenter }: WayOut, networks: OwnNetworks): Promise<WayOutside> {
	const network = await networks.take();
	const proxy = createProxy(rules, SYSTEM_NETWORK);
	network.listener.on("connection", proxy.accept);
	return {
		joined: { nsenter, pid: network.pid },
		refusedHosts: proxy.refusedHosts,
		// A child that is not there is in no network: the wait ends when the command has.
		whenJoined: (child) => whenJoined(child.pid ?? 0, network),
		close: () => {
			proxy.close();
			network.close();
		},
	};
}
