import type { SandboxState } from "../../permissions/sandbox-problem.ts";
import type { LastProbe } from "../../protocol/health.ts";
import type { HostStatus } from "../../protocol/host.ts";
import type { SearchPrograms } from "../../sandbox/files/search.ts";
import type { Home } from "../../store/home.ts";
import { VERSION } from "../../version.ts";
import { type Facts, layerSettings } from "../facts.ts";
import { modelStatus } from "../models.ts";
import type { Ports } from "../ports/ports.ts";

/** What the host says of itself, without looking at anything anew. */
export function statusOf(host: {
	readonly home: Home;
	readonly facts: Facts;
	readonly programs: SearchPrograms;
	readonly ports: Ports;
	readonly probe: LastProbe | undefined;
	readonly sandbox: SandboxState | undefined;
}): HostStatus {
	const { home, facts, programs, ports, probe, sandbox } = host;
	return {
		version: VERSION,
		pid: process.pid,
		home: home.folder,
		...(home.problem === undefined ? {} : { storageProblem: home.problem }),
		trusted: facts.trusted,
		folders: [...facts.folders],
		model: modelStatus(layerSettings(facts.settings).model, ports),
		search: programs.bwrap !== undefined && programs.ripgrep !== undefined ? "ripgrep" : "walk",
		openDocuments: facts.documents.size,
		...(sandbox === undefined ? {} : { sandbox }),
		// What was tried of one that is gone says nothing any more.
		...(probe === undefined || sandbox?.kind === "none" ? {} : { probe }),
	};
}
