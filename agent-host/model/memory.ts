import * as z from "zod";
import { QUIRKS, type Quirk, type Quirks } from "./wires/refusals/quirks.ts";

const MAX_SERVERS = 200;
const MAX_MODELS = 1_000;

const Tokens = z.int().min(1).max(100_000_000);

const KnownModel = z.object({
	/** The window that the server reports. */
	served: Tokens.optional(),
	/** The window learned from an overflow, and the user's setting at that time (0: none). */
	learned: z.object({ window: Tokens, setting: z.int().min(0) }).optional(),
});
export type KnownModel = z.infer<typeof KnownModel>;

const KnownServer = z.object({
	/** A newer release may know more quirks; unknown ones are kept. */
	quirks: z.array(z.string()).max(100).default([]),
	models: z.record(z.string(), KnownModel).default({}),
});

/** What is known about servers, kept between runs. Field names are persisted: never renamed. */
export const KnownServers = z.object({ servers: z.record(z.string(), KnownServer).default({}) });
export type KnownServers = z.infer<typeof KnownServers>;

/** What the host has learned about servers, by origin. */
export interface ServerMemory {
	readonly quirks: (origin: string, model: string) => Quirks;
	readonly learnQuirk: (origin: string, model: string, quirk: Quirk) => void;
	readonly model: (origin: string, model: string) => KnownModel;
	readonly learnModel: (origin: string, model: string, known: KnownModel) => void;
}

/** `save` receives the whole state after every change. */
export function createServerMemory(start: KnownServers, save: (known: KnownServers) => void): ServerMemory {
	let known = start;
	const server = (origin: string) => known.servers[origin] ?? { quirks: [], models: {} };
	const change = (origin: string, next: Partial<z.infer<typeof KnownServer>>): void => {
		const { [origin]: before = server(origin), ...others } = known.servers;
		const kept = Object.entries(others).slice(-(MAX_SERVERS - 1));
		known = { servers: { ...Object.fromEntries(kept), [origin]: { ...before, ...next } } };
		save(known);
	};
	return {
		quirks: (origin, model) => new Set(QUIRKS.filter((quirk) => server(origin).quirks.includes(nameFor(quirk, model)))),
		learnQuirk(origin, model, quirk) {
			const { quirks } = server(origin);
			const name = nameFor(quirk, model);
			if (!quirks.includes(name)) change(origin, { quirks: [...quirks, name].slice(-100) });
		},
		model: (origin, model) => {
			const { models } = server(origin);
			return Object.hasOwn(models, model) ? (models[model] ?? {}) : {};
		},
		learnModel(origin, model, news) {
			const { models } = server(origin);
			const before = Object.hasOwn(models, model) ? models[model] : {};
			const next = { ...before, ...news };
			if (JSON.stringify(next) === JSON.stringify(before)) return;
			const { [model]: _, ...others } = models;
			const kept = Object.entries(others).slice(-(MAX_MODELS - 1));
			change(origin, { models: { ...Object.fromEntries(kept), [model]: next } });
		},
	};
}

// Tool support depends on the model, everything else on the server.
function nameFor(quirk: Quirk, model: string): string {
	return quirk === "no-tools" ? `${quirk} ${model.slice(0, 200)}` : quirk;
}
