import { join } from "node:path";
import {
	type AgentFile,
	asAgentCustomization,
	type FoundAgents,
	findAgents,
	listUserAgentRoots,
	listWorkspaceAgentRoots,
	nameAgents,
} from "../../capabilities/agents/find.ts";
import {
	type CommandRoot,
	findCommands,
	listUserCommandRoots,
	listWorkspaceCommandRoots,
} from "../../capabilities/commands/find.ts";
import type { Customization } from "../../capabilities/consent/customization.ts";
import { listHookFiles, loadHookFile } from "../../capabilities/hooks/find.ts";
import type { HookFile } from "../../capabilities/hooks/hook.ts";
import { asHooksCustomization } from "../../capabilities/hooks/trust.ts";
import { offerPlugin } from "../../capabilities/plugins/offer.ts";
import { listServersFiles, loadServersFile, type ServersFile } from "../../capabilities/servers/find-files.ts";
import type { Server } from "../../capabilities/servers/server.ts";
import { asServersCustomization } from "../../capabilities/servers/trust.ts";
import { findSkills, listUserRoots, listWorkspaceRoots } from "../../capabilities/skills/find.ts";
import { nameSkills } from "../../capabilities/skills/offer.ts";
import type { Skill, SkillRoot } from "../../capabilities/skills/skill.ts";
import { asCustomization } from "../../capabilities/skills/trust.ts";
import type { AgentOffer, HookOffer, Offer, SkillOffer } from "../../envelope/envelope.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { Readable } from "../../workspace/files/readable.ts";
import type { Consents, JudgedCustomization } from "./consents.ts";
import type { Plugins } from "./plugins.ts";

/** Where a turn looks for what people bring along, and what of it the user wants. */
export interface BroughtPlace {
	readonly cwd: string | undefined;
	readonly roots: readonly string[];
	readonly trusted: boolean;
	/** What the turn may read. */
	readonly readable: Readable;
	readonly settings: Pick<Settings, "skills">;
	/** When the turn begins; absent inside a turn. */
	readonly now?: number;
}

type Where = Pick<BroughtPlace, "cwd" | "roots" | "readable" | "now">;

/** What was found for a turn. */
export interface Brought {
	/** The user's, and those of the workspace that the user agreed to. */
	readonly skills: readonly SkillOffer[];
	readonly hooks: readonly HookOffer[];
	readonly agents: readonly AgentOffer[];
	/** The user's plugins, as the model is told of them; their parts are among the others. */
	readonly plugins: readonly Offer[];
	/** Where each plugin is, so that its parts can be told from others. */
	readonly pluginFolders: readonly { readonly name: string; readonly folder: string }[];
	/** Servers of plugins, and those of the workspace that the user agreed to. */
	readonly servers: readonly Server[];
	/** Those that the user has not judged yet. */
	readonly unaskedServers: readonly Server[];
	/** What the user can invoke with `/`, also if it still has to be asked about. */
	readonly prompts: readonly SkillOffer[];
	/** Of a trusted workspace: what the user has not judged yet. */
	readonly unasked: readonly JudgedCustomization[];
	/** Problems for the user, one sentence each. */
	readonly problems: readonly string[];
}

export const NOTHING_BROUGHT: Brought = {
	...{ skills: [], hooks: [], agents: [], plugins: [], pluginFolders: [], servers: [] },
	...{ unaskedServers: [], prompts: [], unasked: [], problems: [] },
};

/** What people bring along, as turns use it. */
export interface BringsAlong {
	/** Reads the disk once, for a turn that begins. Nothing of an untrusted workspace is read. */
	readonly observe: (place: BroughtPlace) => Promise<Brought>;
	/** The paths of an untrusted workspace that would be used if it were trusted. */
	readonly findUnfollowed: (place: Where) => Promise<readonly string[]>;
	readonly settle: Consents["settle"];
	/** Those that no other thread is asking about; they are this thread's until `release`. */
	readonly claim: (unasked: readonly JudgedCustomization[]) => readonly JudgedCustomization[];
	readonly release: (claimed: readonly JudgedCustomization[]) => void;
}

/** `home`: Vitrine's folder; `userHome`: the user's. */
export function createBringsAlong(
	consents: Consents,
	plugins: Pick<Plugins, "find">,
	{ home, userHome }: { readonly home: string; readonly userHome: string },
): BringsAlong {
	const claimed = new Set<string>();
	const findOwn = async ({ roots, now }: Where): Promise<Found> => {
		const [own, files, agents] = await Promise.all([
			findAllSkills(listUserRoots(home, userHome), listUserCommandRoots(home, userHome), () => true, now),
			findHookFiles([join(home, "hooks.json")], {
				root: roots[0] ?? userHome,
				origin: "user",
				readable: () => true,
			}),
			findAgents(listUserAgentRoots(home, userHome), () => true, now),
		]);
		return { ...own, files, serversFiles: [], ...withAgents(own, agents) };
	};
	const findTheirs = async ({ cwd, roots, readable, now }: Where): Promise<Found> => {
		const root = cwd === undefined ? undefined : roots.find((folder) => isInside(cwd, folder));
		if (cwd === undefined || root === undefined) return NOTHING_FOUND;
		const [skills, files, serversFiles, agents] = await Promise.all([
			findAllSkills(listWorkspaceRoots(cwd, roots), listWorkspaceCommandRoots(cwd, roots), readable, now),
			findHookFiles(await listHookFiles(root), { root, origin: "workspace", readable }),
			Promise.all(listServersFiles(root).map((path) => loadServersFile(path, { root, readable }))),
			findAgents(listWorkspaceAgentRoots(cwd, roots), readable, now),
		]);
		return {
			...{ ...skills, files, serversFiles: serversFiles.filter((file) => file !== undefined) },
			...withAgents(skills, agents),
		};
	};
	return {
		async observe(place) {
			const [own, installed] = await Promise.all([findOwn(place), plugins.find(place.now)]);
			const bundled = installed.plugins.flatMap(({ skills, commands }) => [...skills, ...commands]);
			const root = place.roots[0] ?? userHome;
			const bundledHooks = installed.plugins.flatMap(({ hooks }) => hooks.map((hook) => ({ ...hook, root })));
			const bundledServers = installed.plugins.flatMap(({ servers }) => servers);
			const bundledAgents = installed.plugins.flatMap(({ agents }) => agents);
			const theirs = place.trusted ? await findTheirs(place) : NOTHING_FOUND;
			const { enabled, off } = place.settings.skills;
			const judged = await consents.judge(listCustomizations(theirs, enabled));
			const agreed = new Set(pick(judged, "agreed").map(({ one }) => one.path));
			const usable = [...own.skills, ...bundled, ...theirs.skills.filter(({ path }) => agreed.has(path))];
			const refused = new Set(pick(judged, "refused").map(({ one }) => one.path));
			const listed = [...own.skills, ...bundled, ...theirs.skills.filter(({ path }) => !refused.has(path))];
			const files = [...own.files, ...theirs.files.filter(({ path }) => agreed.has(path))];
			const serversOf = (paths: ReadonlySet<string>): readonly Server[] =>
				theirs.serversFiles.filter(({ path }) => paths.has(path)).flatMap(({ servers }) => servers);
			const unasked = pick(judged, "unasked");
			return {
				skills: enabled ? nameSkills(usable, off) : [],
				prompts: enabled ? nameSkills(listed, off).filter(({ byUser }) => byUser) : [],
				hooks: [...files.flatMap(({ hooks }) => hooks), ...bundledHooks],
				agents: nameAgents([...own.agents, ...bundledAgents, ...theirs.agents.filter(({ path }) => agreed.has(path))]),
				plugins: installed.plugins.flatMap((plugin) => offerPlugin(plugin) ?? []),
				pluginFolders: installed.plugins.map(({ name, folder }) => ({ name, folder })),
				servers: keepFirst([...bundledServers, ...serversOf(agreed)]),
				unaskedServers: serversOf(new Set(unasked.map(({ one }) => one.path))),
				unasked,
				problems: [
					...[...own.problems, ...theirs.problems, ...installed.unusable.map(({ problem }) => problem)],
					...[...own.files, ...theirs.files, ...theirs.serversFiles].flatMap(readProblems),
				],
			};
		},
		findUnfollowed: async (place) => listCustomizations(await findTheirs(place), true).map(({ path }) => path),
		settle: consents.settle,
		claim: (unasked) => {
			const free = unasked.filter(({ one }) => !claimed.has(identify(one)));
			for (const { one } of free) claimed.add(identify(one));
			return free;
		},
		release: (mine) => {
			for (const { one } of mine) claimed.delete(identify(one));
		},
	};
}

/** A name stands for one server. */
function keepFirst(servers: readonly Server[]): readonly Server[] {
	return servers.filter(({ name }, index) => servers.findIndex((other) => other.name === name) === index);
}

interface Found {
	readonly skills: readonly Skill[];
	readonly files: readonly HookFile[];
	readonly serversFiles: readonly ServersFile[];
	readonly agents: readonly AgentFile[];
	readonly problems: readonly string[];
}

const NOTHING_FOUND: Found = { skills: [], files: [], serversFiles: [], agents: [], problems: [] };

function withAgents({ problems }: Pick<Found, "problems">, found: FoundAgents): Pick<Found, "agents" | "problems"> {
	return { agents: found.agents, problems: [...problems, ...found.problems] };
}

function listCustomizations(
	{ skills, files, serversFiles, agents }: Found,
	withSkills: boolean,
): readonly Customization[] {
	return [
		...(withSkills ? skills.map(asCustomization) : []),
		...files.filter(({ hooks }) => hooks.length > 0).map(asHooksCustomization),
		...serversFiles.filter(({ servers }) => servers.length > 0).map(asServersCustomization),
		...agents.map(asAgentCustomization),
	];
}

async function findHookFiles(
	paths: readonly string[],
	where: Parameters<typeof loadHookFile>[1],
): Promise<readonly HookFile[]> {
	const found = await Promise.all(paths.map((path) => loadHookFile(path, where)));
	return found.filter((file) => file !== undefined);
}

function readProblems({ problems }: HookFile | ServersFile): readonly string[] {
	return problems;
}

async function findAllSkills(
	roots: readonly SkillRoot[],
	commandRoots: readonly CommandRoot[],
	readable: Readable,
	now: number | undefined,
): Promise<Pick<Found, "skills" | "problems">> {
	const found = await Promise.all([
		...roots.map((root) => findSkills(root, readable, now)),
		...commandRoots.map((root) => findCommands(root, readable, now)),
	]);
	return { skills: found.flatMap(({ skills }) => skills), problems: found.flatMap(({ problems }) => problems) };
}

function pick(
	judged: readonly JudgedCustomization[],
	standing: JudgedCustomization["standing"],
): readonly JudgedCustomization[] {
	return judged.filter((one) => one.standing === standing);
}

function identify({ kind, path, digest }: Customization): string {
	return [kind, path, digest].join("\n");
}
