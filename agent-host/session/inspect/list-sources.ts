import { dirname } from "node:path";
import type { Capabilities, TurnEnvelope } from "../../envelope/envelope.ts";
import { areFoundIn } from "../../envelope/offer-servers.ts";
import { withoutBounds } from "../../envelope/without-bounds.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import type { Source } from "../../protocol/settings/source-settings.ts";
import type { ListedSource } from "../../protocol/thread/context.ts";
import type { Brought } from "../brought/brought.ts";

/**
 * Where a thread's servers, skills, plugins, hooks and roles of sub-agents come from, and what each adds to every request. `all` is the next
 * turn as it would be with everything on.
 */
export function listSources(
	{ envelope, brought }: { readonly envelope: Pick<TurnEnvelope, "capabilities">; readonly brought: Brought },
	off: readonly Source[],
): ListedSource[] {
	const { capabilities } = envelope;
	const { skills, hooks, apps } = capabilities;
	const roles = capabilities.agents ?? [];
	const priceRoles = (some: typeof roles): readonly string[] =>
		capabilities.tools.includes("start_agent") ? some.map(renderLine) : [];
	const { pluginFolders, servers } = brought;
	const isBundled = (path: string): boolean => pluginFolders.some(({ folder }) => isInside(path, folder));
	const bundledServers = servers.filter(({ plugin }) => plugin !== undefined);
	const priceServer = (name: string): readonly string[] => renderServer(capabilities, name);
	const listed: readonly (Source & { readonly texts: readonly string[] })[] = [
		...apps
			.filter(({ name }) => !bundledServers.some((server) => server.name === name))
			.map(({ name }) => ({ kind: "server" as const, name, texts: priceServer(name) })),
		...pluginFolders.map(({ name, folder }) => ({
			kind: "plugin" as const,
			name,
			texts: [
				...capabilities.plugins.filter((plugin) => plugin.name === name).map(renderLine),
				...skills.filter(({ path, byModel }) => byModel && isInside(path, folder)).map(renderLine),
				...priceRoles(roles.filter(({ path }) => isInside(path, folder))),
				...bundledServers.filter(({ plugin }) => plugin?.folder === folder).flatMap((one) => priceServer(one.name)),
			],
		})),
		...[...Map.groupBy(skills, ({ path }) => dirname(path))]
			.filter(([folder]) => !isBundled(folder))
			.map(([folder, own]) => ({
				...{ kind: "skills" as const, name: folder },
				texts: own.filter(({ byModel }) => byModel).map(renderLine),
			})),
		...[...new Set(hooks.flatMap(({ path, plugin }) => (plugin === undefined ? [path] : [])))].map((path) => ({
			...{ kind: "hooks" as const, name: path, texts: [] },
		})),
		...[...Map.groupBy(roles, ({ path }) => dirname(path))]
			.filter(([folder]) => !isBundled(folder))
			.map(([folder, own]) => ({ kind: "agents" as const, name: folder, texts: priceRoles(own) })),
	];
	const gone = off.filter((source) => !listed.some((one) => isSame(one, source)));
	return [...listed, ...gone.map((source) => ({ ...source, texts: [] }))].map(({ kind, name, texts }) => ({
		...{ kind, name },
		tokens: texts.length === 0 ? 0 : estimateTokens(texts.join("\n")),
		isOff: off.some((source) => isSame(source, { kind, name })),
	}));
}

function renderServer({ apps, serverTools, tools }: Capabilities, name: string): readonly string[] {
	const own = areFoundIn(tools) ? [] : serverTools.filter(({ server }) => server === name);
	return [
		...apps.filter((app) => app.name === name).map(renderLine),
		...own.map(({ name, description, parameters }) =>
			JSON.stringify({ name, description, parameters: withoutBounds(parameters) }),
		),
	];
}

function renderLine({ name, about }: { readonly name: string; readonly about: string }): string {
	return `- ${name}: ${about}`;
}

function isSame(one: Source, other: Source): boolean {
	return one.kind === other.kind && one.name === other.name;
}
