import type { SandboxProblemCode } from "../../protocol/settings/policy-settings.ts";

/** What tells why bubblewrap does not work here, as far as it can be read. */
export interface MachineFacts {
	/** The text of /etc/os-release. */
	readonly osRelease: string;
	/** Kernel settings by name, such as `user.max_user_namespaces`; absent if this kernel has no such setting. */
	readonly settings: Readonly<Record<string, string | undefined>>;
	readonly isContainer: boolean;
	readonly isFlatpak: boolean;
	/** The editor's AppArmor profile, such as `snap.code.code (enforce)`. */
	readonly profile: string;
	/** The name of the WSL distribution. */
	readonly distribution: string | undefined;
}

export interface Cause {
	readonly code: SandboxProblemCode;
	/** The one command, or part of a file, that fixes it. */
	readonly command?: string;
}

export const APPARMOR_SETTING = "kernel.apparmor_restrict_unprivileged_userns";
export const CLONE_SETTING = "kernel.unprivileged_userns_clone";
export const MAX_SETTING = "user.max_user_namespaces";

/** What exactly is behind a failed trial, and the one thing that helps. */
export function findCause(code: SandboxProblemCode, facts: MachineFacts): Cause {
	switch (code) {
		case "bwrap-missing":
		case "bwrap-too-old":
			return findBoxed(facts) ?? { code, command: installCommand(facts.osRelease) };
		case "no-user-namespaces":
			return findBoxed(facts) ?? findForbidden(facts) ?? { code };
		case "no-proc":
			return findBoxed(facts) ?? { code, command: UNMASKED };
		case "wsl1":
			return { code, command: `wsl --set-version ${facts.distribution ?? "<name>"} 2` };
		default:
			return { code };
	}
}

/** An editor that runs inside a sandbox itself. */
function findBoxed({ isFlatpak, profile }: MachineFacts): Cause | undefined {
	if (isFlatpak) return { code: "flatpak" };
	if (/^snap\..* \(enforce\)$/.test(profile)) return { code: "snap", command: "sudo snap install code --classic" };
	return undefined;
}

function findForbidden({ settings, isContainer }: MachineFacts): Cause | undefined {
	if (settings[CLONE_SETTING] === "0") return { code: "userns-off", command: `sudo sysctl -w ${CLONE_SETTING}=1` };
	if (settings[MAX_SETTING] === "0") return { code: "userns-off", command: `sudo sysctl -w ${MAX_SETTING}=15000` };
	if (isContainer) return { code: "userns-container", command: UNCONFINED };
	if (settings[APPARMOR_SETTING] === "1") return { code: "userns-apparmor", command: LOAD_PROFILE };
	return undefined;
}

const UNCONFINED =
	'"runArgs": ["--security-opt=seccomp=unconfined", "--security-opt=apparmor=unconfined", "--security-opt=systempaths=unconfined"]';
const UNMASKED = '"runArgs": ["--security-opt=systempaths=unconfined"]';

/** The distribution's own profile; it applies to /usr/bin/bwrap only. */
const LOAD_PROFILE = [
	"sudo apt install -y apparmor-profiles bubblewrap",
	"sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/",
	"sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
].join(" && ");

export function installCommand(osRelease: string): string {
	const ids = Array.from(osRelease.matchAll(/^ID(?:_LIKE)?=["']?([^"'\n]*)/gm), ([, value = ""]) => value).join(" ");
	const known = INSTALLERS.find(([family]) => ids.split(/\s+/).includes(family));
	return known?.[1] ?? "sudo apt install bubblewrap";
}

const INSTALLERS = [
	["debian", "sudo apt install bubblewrap"],
	["ubuntu", "sudo apt install bubblewrap"],
	["fedora", "sudo dnf install bubblewrap"],
	["rhel", "sudo dnf install bubblewrap"],
	["arch", "sudo pacman -S bubblewrap"],
	["suse", "sudo zypper install bubblewrap"],
	["alpine", "sudo apk add bubblewrap"],
	["nixos", "nix-env -iA nixos.bubblewrap"],
] as const;
