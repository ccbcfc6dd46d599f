import { platform } from "node:os";
import { join } from "node:path";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import { type Managed, parseLimits } from "../../protocol/settings/managed-limits.ts";
import { readSmallFile } from "../../workspace/files/small-file.ts";

const MAX_BYTES = 1_000_000;

/**
 * The limits of this machine, read for every turn. A file that cannot be understood lets no turn begin: it was
 * meant to take something away.
 */
export async function readLimits(environment: NodeJS.ProcessEnv = process.env): Promise<readonly Managed[]> {
	const found = await Promise.all(limitFiles(environment).map(readLimitsIn));
	return found.filter((managed) => managed !== undefined);
}

/** The machine's own file, and one that the host's starter adds: files only tighten, so anyone may add one. */
function limitFiles({ VITRINE_LIMITS: added, ProgramData }: NodeJS.ProcessEnv): readonly string[] {
	return [limitsOfMachine(ProgramData), ...(added ? [added] : [])];
}

function limitsOfMachine(programData = "C:\\ProgramData"): string {
	switch (platform()) {
		case "win32":
			return join(programData, "Vitrine", "limits.json");
		case "darwin":
			return "/Library/Application Support/Vitrine/limits.json";
		default:
			return "/etc/vitrine/limits.json";
	}
}

async function readLimitsIn(file: string): Promise<Managed | undefined> {
	const read = await readSmallFile(file, MAX_BYTES, () => true);
	if (read.state === "missing") return undefined;
	if (read.state === "refused") throw unfit(file, read.reason);
	if (read.bytes > MAX_BYTES) throw unfit(file, `It is larger than ${MAX_BYTES} bytes.`);
	const parsed = parseLimits(read.text);
	if ("reason" in parsed) throw unfit(file, parsed.reason);
	return { file, limits: parsed.limits };
}

function unfit(file: string, reason: string): HostError {
	return new HostError("settings-refused", say("limits-unfit", { file, reason }));
}
