import type { SandboxState } from "../../permissions/policy/sandbox-problem.ts";
import type { LastProbe } from "../../protocol/host/health.ts";
import type { HostStatus } from "../../protocol/host/host.ts";
import { nameSaid } from "../../protocol/say.ts";
import type { Home } from "../../store/home/home.ts";
import { VERSION } from "../../version.ts";
import type { RunRipgrep } from "../../workspace/files/search.ts";
import { type Facts, layerSettings, readProviders } from "../facts.ts";
import { modelStatus } from "../models.ts";
import type { Ports } from "../ports/ports.ts";

/** The host's status, from known values only. */
export function collectStatus(host: {
	readonly home: Home;
	readonly facts: Facts;
	readonly ripgrep: RunRipgrep | undefined;
	readonly ports: Ports;
	readonly probe: LastProbe | undefined;
	readonly sandbox: SandboxState | undefined;
}): HostStatus {
	const { home, facts, ripgrep, ports, probe, sandbox } = host;
	return {
		version: VERSION,
		pid: process.pid,
		home: home.folder,
		...(home.problem === undefined
			? {}
			: { storageProblem: home.problem.text, storageProblemSaid: nameSaid(home.problem) }),
		trusted: facts.trusted,
		folders: [...facts.folders],
		model: modelStatus(layerSettings(facts.settings).model, readProviders(facts), ports),
		search: ripgrep !== undefined ? "ripgrep" : "walk",
		openDocuments: facts.documents.size,
		...(sandbox === undefined ? {} : { sandbox }),
		// The result for a sandbox that is gone no longer applies.
		...(probe === undefined || sandbox?.kind === "none" ? {} : { probe }),
	};
}
