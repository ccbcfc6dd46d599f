import { arch, homedir, platform, release } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { ModelFailure } from "../../model/port.ts";
import { resolveModel } from "../../model/resolve-model.ts";
import type { DoctorCheck, DoctorReport, hostDoctor, PolicyProbe } from "../../protocol/host/health.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { findUnopened } from "../../sandbox/reading/closed-places.ts";
import type { Home } from "../../store/home/home.ts";
import { measureHome } from "../../store/home/measure-home.ts";
import { verifyThreads } from "../../store/threads/verify-thread.ts";
import { VERSION } from "../../version.ts";
import { type Facts, layerSettings } from "../facts.ts";
import { offeredModels } from "../models.ts";
import type { Ports } from "../ports/ports.ts";
import { lessonsCheck, limitLines, policyCheck, storageLines, threadsCheck, writeReport } from "./report.ts";
import type { SandboxWatch } from "./sandbox-watch.ts";

/** What the doctor examines. */
export interface HostParts {
	readonly home: Home;
	readonly facts: Facts;
	readonly sandbox: Pick<SandboxWatch, "look">;
	readonly ports: Ports;
	readonly probe: () => Promise<PolicyProbe>;
	readonly contract: () => Promise<TurnEnvelope>;
	readonly problems: () => readonly string[];
}

/** Examines everything the host needs. Changes nothing, and asks a server only if requested. */
export async function examine(
	patient: HostParts,
	{ server }: ParsedParamsOf<typeof hostDoctor>,
): Promise<DoctorReport> {
	const checks = [
		versions(patient.facts),
		await sandboxCheck(patient),
		policyCheck(await patient.probe()),
		await storageCheck(patient.home),
		threadsCheck(await verifyThreads(patient.home)),
		await modelCheck(patient, server),
		lessonsCheck(patient.ports.servers.lessons()),
		await limitsCheck(patient),
		recentCheck(patient.problems()),
	];
	return writeReport(checks, homedir());
}

function versions({ surface, environment, trusted, folders }: Facts): DoctorCheck {
	return {
		name: "Versions",
		state: "ok",
		lines: [
			`Vitrine ${VERSION} in ${surface.name} ${surface.version} (${environment})`,
			`Node ${process.versions.node} on ${platform()} ${release()} ${arch()}`,
			`Workspace: ${trusted ? "trusted" : "not trusted"}, folders: ${folders.length}`,
		],
	};
}

async function sandboxCheck({ sandbox }: HostParts): Promise<DoctorCheck> {
	const found = await sandbox.look("failed");
	if (found.kind !== "none")
		return { name: "Sandbox", state: "ok", lines: [`${found.kind} was found and isolates commands`] };
	const { message, fix, command } = found.problem;
	return {
		name: "Sandbox",
		state: "problem",
		lines: [message],
		fix: command === undefined ? fix : `${fix} ${command}`,
	};
}

async function storageCheck(home: Home): Promise<DoctorCheck> {
	const lines = storageLines(home.folder, await measureHome(home));
	if (home.problem === undefined) return { name: "Storage", state: "ok", lines };
	const fix = "Make that folder writable, or set VITRINE_HOME to another one.";
	return { name: "Storage", state: "problem", lines: [home.problem.text, ...lines], fix };
}

async function modelCheck({ facts, ports }: HostParts, server: "skip" | "ask"): Promise<DoctorCheck> {
	const settings = layerSettings(facts.settings).model;
	const resolved = resolveModel(settings, ports.servers);
	const name = "Model";
	if (resolved instanceof ModelFailure)
		return { name, state: "problem", lines: [resolved.message], fix: "Run “Vitrine: Set Up Model…”." };
	const { baseUrl, window, windowSource } = resolved;
	const lines = [
		`${settings.provider}, ${settings.wire}, ${resolved.id}`,
		`window ${window} tokens (${windowSource})`,
		...(baseUrl === undefined ? [] : [`server ${new URL(baseUrl).origin}`]),
	];
	if (server === "skip") return { name, state: "ok", lines: [...lines, "the server was not contacted"] };
	return offeredModels(settings, ports).then(
		(models): DoctorCheck => ({ name, state: "ok", lines: [...lines, `the server offers ${models.length} models`] }),
		(error: Error): DoctorCheck => ({
			name,
			state: "problem",
			lines: [...lines, error.message],
			fix: "Check the server URL and the key: “Vitrine: Set Up Model…”.",
		}),
	);
}

async function limitsCheck({ contract, facts }: HostParts): Promise<DoctorCheck> {
	const heapMb = Math.round(getHeapStatistics().heap_size_limit / 1_048_576);
	const { budgets } = layerSettings(facts.settings);
	// Without a configured model there is no contract; the model's line in the report says so.
	const envelope = await contract().catch(() => undefined);
	const unopened = findUnopened({ home: homedir(), environment: process.env });
	const lines = limitLines(envelope?.policy.value, budgets, heapMb);
	if (unopened.length === 0) return { name: "Limits", state: "ok", lines };
	return {
		name: "Limits",
		state: "note",
		lines: [...lines, `more tools than commands can see; these stay closed to them: ${unopened.join(", ")}`],
		fix: "List those that you need under vitrine.permissions.filesystem.",
	};
}

function recentCheck(problems: readonly string[]): DoctorCheck {
	const lines = problems.length === 0 ? ["none since this host started"] : [...problems];
	return { name: "Recent problems", state: problems.length === 0 ? "ok" : "note", lines };
}
