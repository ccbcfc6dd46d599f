import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { HostOptions } from "../../protocol/host/host-options.ts";
import { VERSION } from "../../version.ts";
import { openSession } from "../open-session.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";

const USAGE = "Usage: vitrine doctor [--json] [--home DIR] [--cwd DIR]";
const HEALTHY = 0;
const PROBLEMS = 1;
const MISUSED = 2;

/** Prints the host's health on this machine: as text to paste into an issue, or as JSON. */
export async function doctorCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readOptions(args);
	if (options === undefined) {
		io.stderr.write(`${USAGE}\n`);
		return MISUSED;
	}
	const rejectQuestion = () => Promise.reject(new Error("Approvals are not available."));
	// Warnings are part of the report.
	const ports = { ...clientlessPorts(io.stderr), warn: () => undefined, ask: rejectQuestion, publish: () => undefined };
	const hostOptions = HostOptions.parse({
		...(options.home === undefined ? {} : { home: resolve(io.cwd, options.home) }),
		trusted: true,
		surface: { name: "doctor", version: VERSION },
	});
	const session = await openSession([resolve(io.cwd, options.cwd ?? ".")], hostOptions, ports, new Map(), undefined);
	try {
		const report = await session.health.examine({ server: "skip" });
		const { text, ...facts } = report;
		io.stdout.write(options.json ? `${JSON.stringify(facts)}\n` : text);
		return report.healthy ? HEALTHY : PROBLEMS;
	} finally {
		await session.close();
	}
}

function readOptions(args: readonly string[]) {
	try {
		const { values } = parseArgs({
			args: [...args],
			options: { json: { type: "boolean", default: false }, home: { type: "string" }, cwd: { type: "string" } },
		});
		return values;
	} catch {
		return undefined;
	}
}
