import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { HostSpec } from "../host-process.ts";
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
