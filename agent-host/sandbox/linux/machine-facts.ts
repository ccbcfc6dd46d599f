import { existsSync, readFileSync } from "node:fs";
import { isMissing } from "../../workspace/files/is-missing.ts";
import { APPARMOR_SETTING, CLONE_SETTING, MAX_SETTING, type MachineFacts } from "./find-cause.ts";

/** Files that container engines put into every container. */
const OF_CONTAINERS = ["/.dockerenv", "/run/.containerenv"];
const CONTAINER_VARIABLES = ["CODESPACES", "REMOTE_CONTAINERS", "KUBERNETES_SERVICE_HOST"];

/** Reads what tells why there is no sandbox; nothing is started. */
export function readMachineFacts(environment: NodeJS.ProcessEnv = process.env): MachineFacts {
	return {
		osRelease: readText("/etc/os-release") ?? "",
		settings: Object.fromEntries(
			[APPARMOR_SETTING, CLONE_SETTING, MAX_SETTING].map((name) => [name, readSetting(name)]),
		),
		isContainer:
			OF_CONTAINERS.some((file) => existsSync(file)) || CONTAINER_VARIABLES.some((name) => name in environment),
		isFlatpak: existsSync("/.flatpak-info") || environment.FLATPAK_ID !== undefined,
		profile: readText("/proc/self/attr/current")?.split(/[\0\n]/, 1)[0] ?? "",
		distribution: environment.WSL_DISTRO_NAME,
	};
}

/** Kernel settings that a trial depends on, as one text: it changes when one of them does. */
export function readKernelSettings(): string {
	return [CLONE_SETTING, APPARMOR_SETTING, MAX_SETTING].map((name) => readSetting(name) ?? "").join(" ");
}

function readSetting(name: string): string | undefined {
	return readText(`/proc/sys/${name.replaceAll(".", "/")}`)?.trim();
}

function readText(file: string): string | undefined {
	// Many kernels lack a setting that each turn looks for, and an error costs more than the look.
	if (isMissing(file)) return undefined;
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
}
