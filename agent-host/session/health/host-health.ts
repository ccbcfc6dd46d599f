import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { DoctorReport, hostDoctor } from "../../protocol/host/health.ts";
import type { ListedServer } from "../../protocol/host/servers.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import type { Said } from "../../protocol/say.ts";
import type { CommandRequest, Sandbox } from "../../sandbox/backend.ts";
import type { Home } from "../../store/home/home.ts";
import type { Facts } from "../facts.ts";
import type { Ports } from "../ports/ports.ts";
import { createPolicyProbing, type PolicyProbing } from "./policy-probe.ts";
import type { SandboxWatch } from "./sandbox-watch.ts";

/** The host's health, as far as it can find out itself. */
export interface Health extends PolicyProbing {
	readonly examine: (params: ParsedParamsOf<typeof hostDoctor>) => Promise<DoctorReport>;
}

export function createHealth(options: {
	readonly home: Home;
	readonly facts: Facts;
	readonly sandbox: Sandbox;
	readonly containment: SandboxWatch;
	readonly environment: CommandRequest["environment"];
	readonly contractOf: (threadId: ThreadId | undefined) => Promise<TurnEnvelope>;
	readonly ports: Ports;
	readonly changed: () => void;
	readonly problems: () => readonly Said[];
	readonly toolServers: () => Promise<readonly ListedServer[]>;
}): Health {
	const probing = createPolicyProbing(options);
	return {
		...probing,
		examine: async (params) => {
			// Loaded on demand, because it is rarely needed.
			const { examine } = await import("./examine.ts");
			const { home, facts, containment, ports, problems, toolServers, contractOf } = options;
			const contract = () => contractOf(undefined);
			return examine(
				{
					...{ home, facts, sandbox: containment, ports, problems, toolServers, contract },
					probe: () => probing.probe(undefined),
				},
				params,
			);
		},
	};
}
