import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Policy } from "../../permissions/policy/policy.ts";
import { writesTemporary } from "../../permissions/reach/may-run.ts";
import {
	effectiveEntries,
	enforcedAccess,
	guardedRoots,
	isInside,
	sharedPlaces,
} from "../../permissions/reach/reach.ts";
import { type FileAccess, isPattern } from "../../protocol/settings/policy-settings.ts";

/** `sealed`: it does not exist, and the host's user could not create it either. */
export type PathKind = "folder" | "file" | "link" | "sealed";

/** The disk facts that the layout depends on, read just before a launch. */
export interface DiskFacts {
	/** The kind of each examined path; absent if it does not exist. */
	readonly kinds: ReadonlyMap<string, PathKind>;
	/** The target of each link, as written in it. */
	readonly links: ReadonlyMap<string, string>;
	/** Protected files and folders found below the writable roots, in any upper or lower case. */
	readonly present: readonly string[];
	/** Matches of the policy's globs. */
	readonly matches: readonly string[];
}

/** One change of access at a path in the sandbox. `missing`: an empty folder takes its place while the command runs. */
export interface Mount {
	readonly path: string;
	readonly access: FileAccess;
	readonly kind: "folder" | "file" | "missing";
	/** The thread's temporary files are mounted there. */
	readonly isPrivate?: true;
}

export interface Layout {
	/** The access at `/`, unless a deeper entry says otherwise. */
	readonly base: FileAccess;
	/** Folders above a mount that must not be renamed. */
	readonly pins: readonly string[];
	/** Parents first. */
	readonly mounts: readonly Mount[];
	/** Links in closed folders that lead to something open. */
	readonly links: readonly { readonly path: string; readonly target: string }[];
	/** Folders to create before the command and to remove after it. */
	readonly placeholders: readonly string[];
	/** Paths that do not exist and must not be created: whatever appears there is set aside. */
	readonly awaited: readonly string[];
	/** Closed paths that do not exist and would be visible if they did: nothing can be mounted on them. */
	readonly absent: readonly string[];
	/** Protected names that are links, which cannot be mounted over; compared after the command. */
	readonly watched: readonly string[];
}

export type LayoutOutcome =
	| { readonly ok: true; readonly layout: Layout }
	| { readonly ok: false; readonly reason: string };

/** Limit for the mounts of one sandbox; the start time grows with the square of their number. */
export const MAX_MOUNTS = 100;

/**
 * While it is missing, an empty folder takes its place, which no command can replace. Only this name, because editors
 * hide it; with any other, people would see folders come and go, and programs that expect a file would fail.
 */
const HIDDEN_NAME = ".git";
/**
 * The same once a command has created it: an editor that is notified again and again reads it in the short time that it
 * exists.
 */
const EDITOR_NAME = ".vscode";

export function isEditorFolder(path: string): boolean {
	return basename(path).toLowerCase() === EDITOR_NAME;
}

/** Protected names that no command can create, missing or not. */
export function keptNames({ protect }: Policy): readonly string[] {
	return protect.names.filter((name) => name === HIDDEN_NAME);
}

const VERSION_CONTROL = /^\.(?:git|hg|svn|jj)$/i;

/** The sandbox creates these two itself: they contain nothing of the host, whatever a policy says about them. */
export const OWN_PLACES = ["/proc", "/dev"];

/**
 * Computes where in the tree access changes, and how. Everything below a mount, up to the next one, has the mount's
 * access, which `enforcedAccess` determines. A policy that mounts cannot enforce is refused, never approximated.
 */
export function planLayout(policy: Policy, facts: DiskFacts): LayoutOutcome {
	const plan = new Plan(policy, facts);
	for (const place of listPlaces(policy, facts)) {
		const problem = plan.add(place);
		if (problem !== undefined) return { ok: false, reason: problem };
	}
	return plan.finish();
}

/** Every path at which access may change, except those that only the disk reveals. */
export function fixedPlaces(policy: Policy): readonly string[] {
	const plain = effectiveEntries(policy)
		.filter((entry) => !isPattern(entry))
		.map(({ path }) => path);
	const temporary = [...policy.temporary, ...sharedPlaces(policy)];
	return [...new Set([...plain, ...temporary, ...policy.secrets, ...protectedPlaces(policy)])];
}

function protectedPlaces(policy: Policy): readonly string[] {
	if (policy.mode === "full") return [];
	const names = keptNames(policy);
	return [...policy.protect.paths, ...guardedRoots(policy).flatMap((root) => names.map((name) => join(root, name)))];
}

function listPlaces(policy: Policy, facts: DiskFacts): readonly string[] {
	const places = new Set([...fixedPlaces(policy), ...facts.present, ...facts.matches]);
	const byDepth = [...places].map((path) => ({ path, depth: depthOf(path) }));
	return byDepth.sort((a, b) => a.depth - b.depth || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

class Plan {
	readonly #policy: Policy;
	readonly #facts: DiskFacts;
	readonly #base: FileAccess;
	readonly #shared: readonly string[];
	readonly #mounts = new Map<string, Mount>();
	readonly #pins = new Set<string>();
	readonly #linkPins = new Set<string>();
	readonly #links = new Map<string, string>();
	readonly #placeholders: string[] = [];
	readonly #awaited: string[] = [];
	readonly #watched: string[] = [];

	constructor(policy: Policy, facts: DiskFacts) {
		this.#policy = policy;
		this.#facts = facts;
		this.#base = enforcedAccess(policy, "/");
		this.#shared = sharedPlaces(policy);
	}

	/** Returns the obstacle, if there is one. */
	add(path: string): string | undefined {
		if (path === "/" || OWN_PLACES.some((own) => isInside(path, own))) return undefined;
		if (this.#policy.temporary.includes(path)) return this.#addPrivate(path);
		const access = enforcedAccess(this.#policy, path);
		const around = this.#above(path);
		if (around.isPrivate === true) return this.#addShared(path, access);
		if (access === around.access) return undefined;
		const link = this.#firstLink(path);
		if (link !== undefined) return this.#addLinked(path, access, around, link);
		const kind = this.#facts.kinds.get(path) ?? this.#missing(path, access);
		if (kind === "sealed" || kind === "link") return undefined;
		this.#mounts.set(path, { path, access, kind });
		if (around.access === "write") for (const part of between(around.path, path)) this.#pins.add(part);
		return undefined;
	}

	finish(): LayoutOutcome {
		const mounts = [...this.#mounts.values()];
		const costly = mounts.filter(({ kind }) => kind !== "missing").length + this.#pins.size;
		if (costly > MAX_MOUNTS) {
			return {
				ok: false,
				reason: `The policy needs ${costly} mounts (limit ${MAX_MOUNTS}); block folders instead of single files.`,
			};
		}
		return {
			ok: true,
			layout: {
				base: this.#base,
				pins: this.#listPins(MAX_MOUNTS - costly),
				mounts,
				links: [...this.#links].map(([path, target]) => ({ path, target })),
				placeholders: this.#placeholders,
				awaited: this.#awaited,
				absent: this.#findAbsent(),
				watched: this.#watched,
			},
		};
	}

	/** The folders above links only where mounts are left: links are watched and restored, which needs no mount. */
	#listPins(spare: number): readonly string[] {
		const more = [...this.#linkPins].filter((path) => !this.#pins.has(path));
		return more.length > spare ? [...this.#pins] : [...this.#pins, ...more];
	}

	#findAbsent(): readonly string[] {
		const closed = this.#policy.filesystem.filter((entry) => entry.access === "none" && !isPattern(entry));
		const places = [...this.#policy.secrets, ...closed.map(({ path }) => path)];
		// What is below a link is listed by its real path, too.
		const isMissing = (path: string) =>
			(this.#facts.kinds.get(path) ?? "sealed") === "sealed" && this.#firstLink(path) === undefined;
		return places.filter((path) => isMissing(path) && enforcedAccess(this.#policy, dirname(path)) !== "none");
	}

	/** Everything below it is hidden, so nothing below it needs to be closed. */
	#addPrivate(path: string): undefined {
		if (this.#facts.kinds.get(path) !== "folder") return;
		const access = writesTemporary(this.#policy) ? "write" : "read";
		this.#mounts.set(path, { path, access, kind: "folder", isPrivate: true });
	}

	#addShared(path: string, access: FileAccess): undefined {
		const kind = this.#facts.kinds.get(path);
		if (!this.#shared.includes(path) || (kind !== "folder" && kind !== "file")) return;
		this.#mounts.set(path, { path, access, kind });
	}

	#above(path: string): Pick<Mount, "path" | "access" | "isPrivate"> {
		for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) {
			const mount = this.#mounts.get(folder);
			if (mount !== undefined) return mount;
		}
		return { path: "/", access: this.#base };
	}

	#firstLink(path: string): string | undefined {
		return [...between("/", path), path].find((part) => this.#facts.kinds.get(part) === "link");
	}

	/**
	 * The target of a link is listed separately (`withRealPaths`), so nothing is mounted on the link. But a link in a
	 * writable folder can be replaced, and then the closed or protected target would be open.
	 */
	#addLinked(
		path: string,
		access: FileAccess,
		around: Pick<Mount, "path" | "access">,
		link: string,
	): string | undefined {
		const where = this.#above(link).access;
		if (where === "none" && access !== "none") this.#links.set(link, this.#facts.links.get(link) ?? "");
		if (where !== "write" || around.access !== "write") return undefined;
		const isEntry = this.#policy.filesystem.some((entry) => entry.path === path);
		// A secret or a match that is only a link: its target is masked at its real path, or was never closed.
		if (link === path && !isEntry && access === "none") return undefined;
		if (link === path && !isEntry && !VERSION_CONTROL.test(path.slice(path.lastIndexOf("/") + 1))) {
			this.#watched.push(path);
			for (const part of between(around.path, path)) this.#linkPins.add(part);
			return undefined;
		}
		return `${path} must not be ${access === "none" ? "read" : "written"}, but ${link} is a link in a writable folder, which a command could replace. Make it a real folder, or block the folder it is in.`;
	}

	/** If a command could create it, a placeholder prevents that, or it is set aside as soon as it appears. */
	#missing(path: string, access: FileAccess): "missing" | "sealed" {
		if (this.#policy.mode === "full") return "sealed";
		const folder = this.#nearestFolder(path);
		const kind = this.#facts.kinds.get(folder);
		if (kind === "sealed" || kind === "file" || this.#accessAt(folder) !== "write") return "sealed";
		const isHeld =
			basename(path) === HIDDEN_NAME || (isEditorFolder(path) && this.#policy.protect.paths.includes(path));
		if (folder === dirname(path) && isHeld) {
			this.#placeholders.push(path);
			return "missing";
		}
		// If a path that the user closed appears, it is the user's file; the command is ended then.
		const isUsers = access === "none" && this.#policy.filesystem.some((entry) => entry.path === path);
		if (!isUsers) this.#awaited.push(path);
		return "sealed";
	}

	#nearestFolder(path: string): string {
		let folder = dirname(path);
		while (folder !== "/" && this.#facts.kinds.get(folder) === undefined) folder = dirname(folder);
		return folder;
	}

	#accessAt(path: string): FileAccess {
		return this.#mounts.get(path)?.access ?? this.#above(path).access;
	}
}

/** The folders strictly between two paths, parents first. */
export function between(above: string, below: string): readonly string[] {
	const parts: string[] = [];
	for (let folder = dirname(below); folder !== above && folder !== "/"; folder = dirname(folder)) parts.unshift(folder);
	return parts;
}

function depthOf(path: string): number {
	return path.split("/").filter((part) => part !== "").length;
}

/** Like `planLayout`, with a cache: between two commands mostly nothing changes, and then neither does the plan. */
export function createPlanner(): typeof planLayout {
	let last: { readonly from: readonly [Policy, DiskFacts]; readonly planned: LayoutOutcome } | undefined;
	return (...from) => {
		if (last === undefined || !isDeepStrictEqual(last.from, from)) last = { from, planned: planLayout(...from) };
		return last.planned;
	};
}
