import { arch, homedir, platform, release } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { ModelFailure } from "../../model/port.ts";
import { resolveModel } from "../../model/resolve-model.ts";
import { writableRoots } from "../../permissions/reach/reach.ts";
import type { DoctorReport, hostDoctor, PolicyProbe } from "../../protocol/host/health.ts";
import { isOfCommandLine } from "../../protocol/host/host-options.ts";
import type { ListedServer } from "../../protocol/host/servers.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { joinSaid, quote, type Said, say } from "../../protocol/say.ts";
import { findUnopened } from "../../sandbox/reading/closed-places.ts";
import type { Home } from "../../store/home/home.ts";
import { measureHome } from "../../store/home/measure-home.ts";
import { verifyThreads } from "../../store/threads/verify-thread.ts";
import { VERSION } from "../../version.ts";
import { type Facts, layerSettings, readProviders } from "../facts.ts";
import { offeredModels } from "../models.ts";
import type { Ports } from "../ports/ports.ts";
import {
	type Check,
	lessonsCheck,
	limitLines,
	policyCheck,
	serversCheck,
	storageLines,
	threadsCheck,
	writeReport,
} from "./report.ts";
import type { SandboxWatch } from "./sandbox-watch.ts";

/** What the doctor examines. */
export interface HostParts {
	readonly home: Home;
	readonly facts: Facts;
	readonly sandbox: Pick<SandboxWatch, "look">;
	readonly ports: Ports;
	readonly probe: () => Promise<PolicyProbe>;
	readonly contract: () => Promise<TurnEnvelope>;
	readonly problems: () => readonly Said[];
	readonly toolServers: () => Promise<readonly ListedServer[]>;
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
		...serversCheck(await patient.toolServers()),
		await limitsCheck(patient),
		recentCheck(patient.problems()),
	];
	return writeReport(checks, homedir());
}

function versions({ surface, environment, trusted, folders }: Facts): Check {
	return {
		name: "Versions",
		state: "ok",
		lines: [
			isOfCommandLine(surface)
				? say("doctor-version-alone", { version: VERSION })
				: say("doctor-versions", { version: VERSION, surface: `${surface.name} ${surface.version}`, environment }),
			say("doctor-node", { version: process.versions.node, system: `${platform()} ${release()} ${arch()}` }),
			say(trusted ? "doctor-trusted" : "doctor-untrusted", { folders: folders.length }),
		],
	};
}

async function sandboxCheck({ sandbox }: HostParts): Promise<Check> {
	const found = await sandbox.look("failed");
	if (found.kind !== "none")
		return { name: "Sandbox", state: "ok", lines: [say("doctor-sandbox", { sandbox: found.kind })] };
	const { code, command } = found.problem;
	const fix = say(`${code}-fix`);
	return {
		name: "Sandbox",
		state: "problem",
		lines: [say(code)],
		fix: command === undefined ? fix : joinSaid(fix, quote(command)),
	};
}

async function storageCheck(home: Home): Promise<Check> {
	const lines = storageLines(home.folder, await measureHome(home));
	if (home.problem === undefined) return { name: "Storage", state: "ok", lines };
	return { name: "Storage", state: "problem", lines: [home.problem, ...lines], fix: say("doctor-storage-fix") };
}

async function modelCheck({ facts, ports }: HostParts, server: "skip" | "ask"): Promise<Check> {
	const settings = layerSettings(facts.settings).model;
	const resolved = resolveModel(settings, ports.servers, readProviders(facts));
	const name = "Model";
	if (resolved instanceof ModelFailure)
		return { name, state: "problem", lines: [resolved.said], fix: say("doctor-model-fix") };
	const { baseUrl, window, windowSource } = resolved;
	const lines = [
		quote(`${settings.provider}, ${settings.wire}, ${resolved.id}`),
		say("doctor-window", { window, source: windowSource ?? "?" }),
		...(baseUrl === undefined ? [] : [say("doctor-server", { origin: new URL(baseUrl).origin })]),
	];
	if (server === "skip") return { name, state: "ok", lines: [...lines, say("doctor-uncontacted")] };
	return offeredModels(settings, readProviders(facts), ports).then(
		(models): Check => ({
			...{ name, state: "ok" },
			lines: [...lines, say("doctor-offers", { models: models.length })],
		}),
		(error: Error): Check => ({
			name,
			state: "problem",
			lines: [...lines, error instanceof ModelFailure ? error.said : quote(error.message)],
			fix: say("doctor-server-fix"),
		}),
	);
}

async function limitsCheck({ contract, facts }: HostParts): Promise<Check> {
	const heapMb = Math.round(getHeapStatistics().heap_size_limit / 1_048_576);
	const { budgets } = layerSettings(facts.settings);
	// Without a configured model there is no contract; the model's line in the report says so.
	const envelope = await contract().catch(() => undefined);
	const policy = envelope?.policy.value;
	const written = policy === undefined ? [] : [...policy.folders, ...writableRoots(policy)];
	const unopened = findUnopened({ home: homedir(), environment: process.env, written });
	const lines = limitLines(policy, budgets, heapMb);
	if (unopened.length === 0) return { name: "Limits", state: "ok", lines };
	return {
		name: "Limits",
		state: "note",
		lines: [...lines, say("doctor-unopened", { tools: unopened.join(", ") })],
		fix: say("doctor-unopened-fix"),
	};
}

function recentCheck(problems: readonly Said[]): Check {
	const lines = problems.length === 0 ? [say("doctor-no-problems")] : problems;
	return { name: "Recent problems", state: problems.length === 0 ? "ok" : "note", lines };
}
