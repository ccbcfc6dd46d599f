import { resolve } from "node:path";
import type { DoctorReport } from "../../protocol/host/health.ts";
import { HostOptions } from "../../protocol/host/host-options.ts";
import { VERSION } from "../../version.ts";
import { openSession } from "../open-session.ts";
import { makeVisible } from "../visible.ts";
import { refuseMissingHome } from "./check-home.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import { findFolders } from "./find-folders.ts";
import { readArguments } from "./read-arguments.ts";

const HEALTHY = 0;
const PROBLEMS = 1;
const MISUSED = 2;

const DOCTOR_OPTIONS = {
	json: { type: "boolean", default: false },
	home: { type: "string" },
	cwd: { type: "string" },
} as const;

/** Prints the host's health on this machine: as text to paste into an issue, or as JSON. */
export async function doctorCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = await readOptions(args, io.cwd);
	if (typeof options === "string") {
		io.stderr.write(`${makeVisible(options)}\n`);
		return MISUSED;
	}
	const { home, folders } = options;
	const rejectQuestion = () => Promise.reject(new Error("Approvals are not available."));
	// Warnings are part of the report.
	const ports = { ...clientlessPorts(io.stderr), warn: () => undefined, ask: rejectQuestion, publish: () => undefined };
	const hostOptions = HostOptions.parse({
		...(home === undefined ? {} : { home }),
		trusted: true,
		surface: { name: "doctor", version: VERSION },
	});
	const session = await openSession(folders, hostOptions, ports, new Map());
	try {
		const report = await session.health.examine({ server: "skip" });
		const { text, ...facts } = report;
		io.stdout.write(options.json ? `${JSON.stringify(asPlain(facts))}\n` : text);
		return report.healthy ? HEALTHY : PROBLEMS;
	} finally {
		await session.close();
	}
}

/** A program needs no names of sentences: every line is its text. */
function asPlain({ healthy, checks }: Pick<DoctorReport, "healthy" | "checks">) {
	const plain = checks.map(({ lines, fix, ...check }) => ({
		...check,
		lines: lines.map(({ message }) => message),
		...(fix && { fix: fix.message }),
	}));
	return { healthy, checks: plain };
}

async function readOptions(args: readonly string[], from: string) {
	const parsed = readArguments("doctor", args, { options: DOCTOR_OPTIONS });
	if (typeof parsed === "string") return parsed;
	const { json, home: named, cwd = "." } = parsed.values;
	const folders = findFolders([cwd], from);
	if (typeof folders === "string") return folders;
	const home = named === undefined ? undefined : resolve(from, named);
	return (await refuseMissingHome(home)) ?? { json, home, folders };
}
