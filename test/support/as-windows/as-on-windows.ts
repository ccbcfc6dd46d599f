import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ApprovalAnswer, ApprovalRequest } from "../../../agent-host/protocol/approval/approval.ts";
import type { Message, Wire } from "../../host/rig/wire.ts";
import type { HostSpec } from "../host-process.ts";
import { fromDrive, toDrive } from "./drive-paths.ts";
import { toWindows } from "./paths.ts";

const PRELOAD = `--import=${pathToFileURL(join(import.meta.dirname, "preload.ts")).href}`;

/** Makes a host run as on Windows: its home and its folders are on a drive. */
export function asOnWindows(spec: HostSpec): HostSpec {
	return {
		...spec,
		home: toWindows(spec.home),
		folders: (spec.folders ?? []).map(toWindows),
		env: { ...spec.env, NODE_OPTIONS: PRELOAD },
	};
}

/** There every command is asked about, because there is no sandbox; a test that is about none of it says yes. */
export function allowUncontained({ subject, digest }: ApprovalRequest): ApprovalAnswer {
	const isOne = subject.kind === "command" && subject.containment === "none";
	return isOne ? { decision: "allow", digest } : { decision: "deny", digest };
}

/** The wire of a host on the drive, for a test that knows its files by their paths here. */
export function onDrive(wire: Wire): Wire {
	return {
		...wire,
		send: (message) => wire.send(toDrive(message) as Message),
		listen: (receive) => wire.listen((text) => receive(JSON.stringify(fromDrive(JSON.parse(text))))),
	};
}
