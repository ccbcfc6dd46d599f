import { type ListedPrice, type ModelFacts, readId, readRow } from "./row.ts";
import { TABLE } from "./table.ts";

type Provider = keyof typeof TABLE;

/** The servers of makers and gateways, by host name: only what they say of their own models is a price. */
const SERVERS: Readonly<Record<string, Provider>> = {
	"api.openai.com": "openai",
	"api.anthropic.com": "anthropic",
	"generativelanguage.googleapis.com": "google",
	"api.mistral.ai": "mistral",
	"api.deepseek.com": "deepseek",
	"api.x.ai": "xai",
	"api.moonshot.ai": "moonshotai",
	"api.z.ai": "zai",
	"api.minimax.io": "minimax",
	"dashscope-intl.aliyuncs.com": "alibaba",
	"api.groq.com": "groq",
	"api.cerebras.ai": "cerebras",
	"openrouter.ai": "openrouter",
};

const PROVIDERS = Object.keys(TABLE) as readonly Provider[];

/**
 * What is known about a model's abilities: by its exact id, else without its date, else by the longest known id that it
 * begins with. A server's own maker is asked first, then the others: an open model runs anywhere.
 */
export function findFacts(id: string, baseUrl?: string): ModelFacts | undefined {
	if (last?.id !== id || last.baseUrl !== baseUrl) last = { id, baseUrl, facts: lookUp(id, baseUrl) };
	return last.facts;
}

/** Asked for again and again in a turn, always with the same model. */
let last:
	| { readonly id: string; readonly baseUrl: string | undefined; readonly facts: ModelFacts | undefined }
	| undefined;

function lookUp(id: string, baseUrl: string | undefined): ModelFacts | undefined {
	const own = providerAt(baseUrl);
	const order = own === undefined ? PROVIDERS : [own, ...PROVIDERS.filter((name) => name !== own)];
	const tables = order.map(rowsOf);
	for (const name of namesOf(id)) {
		const row = tables.find((table) => table.has(name))?.get(name);
		if (row !== undefined) return readRow(row);
	}
	const [name = id] = namesOf(id).slice(-1);
	const prefix = tables
		.flatMap((table) => [...table.keys()])
		.filter((known) => name.startsWith(known) && /^[-:@]/.test(name.slice(known.length)))
		.reduce((longest, known) => (known.length > longest.length ? known : longest), "");
	const row = tables.find((table) => table.has(prefix))?.get(prefix);
	return row === undefined ? undefined : readRow(row);
}

/** What the server at this address asks for exactly this model, or for it without its date; never a guess. */
export function findListedPrice(id: string, baseUrl: string | undefined): ListedPrice | undefined {
	const provider = providerAt(baseUrl);
	if (provider === undefined) return undefined;
	const table = rowsOf(provider);
	const row = table.get(id) ?? table.get(withoutDate(id));
	return row === undefined ? undefined : readRow(row).price;
}

function providerAt(baseUrl: string | undefined): Provider | undefined {
	const name = baseUrl === undefined ? "" : new URL(baseUrl).hostname;
	return Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined;
}

/** The id, and what it may be listed as: without a date, and without the maker that a gateway puts before it. */
function namesOf(id: string): readonly string[] {
	const bare = id.slice(id.lastIndexOf("/") + 1);
	return [...new Set([id, withoutDate(id), bare, withoutDate(bare)])];
}

function withoutDate(id: string): string {
	return id.replace(/[-@]\d{4}-?\d{2}-?\d{2}$/, "");
}

const rows = new Map<Provider, ReadonlyMap<string, string>>();

/** By id. Told apart with the first question, so that the host's start does not wait for it, and read one by one. */
function rowsOf(provider: Provider): ReadonlyMap<string, string> {
	const found =
		rows.get(provider) ??
		new Map(
			TABLE[provider]
				.trim()
				.split("\n")
				.map((row) => [readId(row), row]),
		);
	rows.set(provider, found);
	return found;
}
