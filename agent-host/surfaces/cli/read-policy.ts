import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import type { ClosedPlaces } from "../../permissions/policy/policy.ts";
import { NOTHING_CLOSED, writableRoots } from "../../permissions/reach/reach.ts";
import { type PolicyOutcome, parsePolicyFile } from "../../permissions/resolve/compile-policy-file.ts";
import { findClosedPlaces } from "../../sandbox/reading/closed-places.ts";

export interface PolicyRequest {
	readonly file: string;
	/** Base folder of `file`. */
	readonly from: string;
	/** The folder that `:workspace` means. */
	readonly cwd: string;
	/** The host's own folder, closed to every command. */
	readonly home: string;
	readonly timeoutMs: number;
}

/** Reads a policy file of the command line, for this user on this machine. */
export async function readPolicy({ file, from, cwd, home, timeoutMs }: PolicyRequest): Promise<PolicyOutcome> {
	const text = await readFile(resolve(from, file), "utf8").catch(() => undefined);
	if (text === undefined) return { ok: false, reason: `The policy file ${file} cannot be read.` };
	const tmpdir = process.env.TMPDIR !== undefined && isAbsolute(process.env.TMPDIR) ? process.env.TMPDIR : undefined;
	const parse = (closed: ClosedPlaces) =>
		parsePolicyFile(text, { cwd, home: homedir(), tmpdir, own: [home], timeoutMs, closed });
	const alone = parse(NOTHING_CLOSED);
	if (!alone.ok) return alone;
	const written = [cwd, ...writableRoots(alone.policy)];
	return parse(findClosedPlaces({ home: homedir(), environment: process.env, written }));
}
