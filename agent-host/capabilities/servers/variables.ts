import type { ServerSettings } from "../../protocol/settings/server-settings.ts";

/** Something in the definition of a server that gets its value when the server starts. */
export type Variable =
	| { readonly kind: "input"; readonly id: string }
	| { readonly kind: "environment"; readonly name: string; readonly otherwise?: string }
	| { readonly kind: "folder" | "folderName" | "home" }
	| { readonly kind: "unknown" };

const PLACES = /\$\{([^{}]*)\}/g;
const NAMED = {
	workspaceFolder: { kind: "folder" },
	workspaceFolderBasename: { kind: "folderName" },
	userHome: { kind: "home" },
} as const;

/** The variables of a definition by their texts, without duplicates. */
export function findVariables(settings: ServerSettings): ReadonlyMap<string, Variable> {
	const found = new Map<string, Variable>();
	mapTexts(settings, (text) => {
		for (const [, inner = ""] of text.matchAll(PLACES)) found.set(inner, readVariable(inner));
		return text;
	});
	return found;
}

/** The definition with a value for every variable. What a value contains is not looked at again. */
export function fillVariables<S extends ServerSettings>(settings: S, values: ReadonlyMap<string, string>): S {
	return mapTexts(settings, (text) => text.replaceAll(PLACES, (whole, inner: string) => values.get(inner) ?? whole));
}

/** As VS Code writes them (`env:NAME`, `input:id`), and as other agents do (`NAME`, `NAME:-otherwise`). */
function readVariable(inner: string): Variable {
	if (Object.hasOwn(NAMED, inner)) return NAMED[inner as keyof typeof NAMED];
	const [, kind, rest = ""] = /^(env|input):(.+)$/s.exec(inner) ?? [];
	if (kind === "env") return { kind: "environment", name: rest };
	if (kind === "input") return { kind: "input", id: rest };
	const [, name, otherwise] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
	if (name === undefined) return { kind: "unknown" };
	return { kind: "environment", name, ...(otherwise !== undefined && { otherwise }) };
}

function mapTexts<S extends ServerSettings>(settings: S, change: (text: string) => string): S {
	const all = (texts: Readonly<Record<string, string>>): Record<string, string> =>
		Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));
	if ("url" in settings) {
		const { url, headers, oauth } = settings;
		const secret = oauth?.clientSecret;
		return {
			...{ ...settings, url: change(url), headers: all(headers) },
			...(secret !== undefined && { oauth: { ...oauth, clientSecret: change(secret) } }),
		};
	}
	const { command, args, env, cwd, sandbox } = settings;
	return {
		...settings,
		command: change(command),
		args: args.map(change),
		env: all(env),
		...(cwd !== undefined && { cwd: change(cwd) }),
		sandbox: { ...sandbox, filesystem: { allowWrite: sandbox.filesystem.allowWrite.map(change) } },
	};
}
