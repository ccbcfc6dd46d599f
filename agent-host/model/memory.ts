import * as z from "zod";
import type { RateLimit } from "../protocol/host/host.ts";
import { currentLimits } from "./rate-limits.ts";
import { QUIRKS, type Quirk, type Quirks } from "./wires/refusals/quirks.ts";

const MAX_SERVERS = 200;
const MAX_MODELS = 1_000;
const MAX_LESSONS = 50;
/** Sealed parts that are remembered as refused, per model, while the host runs. */
const MAX_SEALS = 2_000;

/** A server may be mended, and an account may be granted more: a lesson counts for a day and is then learned again. */
const LESSON_MS = 24 * 60 * 60_000;
/** Without tools the agent can do nothing, and the remedy is one flag of a server that is started again. */
const NO_TOOLS_MS = 10 * 60_000;

const Tokens = z.int().min(1).max(100_000_000);
const Learned = z.object({
	/** Milliseconds since 1970; absent if an older release learned it, and then it no longer counts. */
	at: z.number().default(0),
});

const KnownModel = z.object({
	/** The window that the server reports. */
	served: Tokens.optional(),
	/** Whether it sees images, as the server reports it. */
	images: z.boolean().optional(),
	/** The window learned from an overflow, and the user's setting at that time (0: none). */
	learned: Learned.extend({ window: Tokens, setting: z.int().min(0) }).optional(),
	/** What refusals taught. A newer release may know more quirks; unknown ones are kept. */
	lessons: z
		.array(Learned.extend({ quirk: z.string().max(100) }))
		.max(MAX_LESSONS)
		.optional(),
});
type Stored = z.infer<typeof KnownModel>;

/** What is known about a model at a server, as far as it still counts. */
export interface KnownModel {
	readonly served?: number | undefined;
	readonly images?: boolean | undefined;
	readonly learned?: { readonly window: number; readonly setting: number } | undefined;
}

const KnownServer = z.object({
	models: z.record(z.string(), KnownModel).default({}),
});

/** What is known about servers, kept between runs. Field names are persisted: never renamed. */
export const KnownServers = z.object({ servers: z.record(z.string(), KnownServer).default({}) });
export type KnownServers = z.infer<typeof KnownServers>;

/** One thing that a refusal taught, for display. */
export interface LearnedFact {
	readonly origin: string;
	readonly model: string;
	readonly fact: Quirk | { readonly window: number };
	/** Milliseconds since 1970. */
	readonly until: number;
}

/** What the host has learned about models, by the origin of their server. */
export interface ServerMemory {
	readonly quirks: (origin: string, model: string) => Quirks;
	readonly learnQuirk: (origin: string, model: string, quirk: Quirk) => void;
	readonly model: (origin: string, model: string) => KnownModel;
	readonly learnModel: (origin: string, model: string, known: KnownModel) => void;
	/** Everything that refusals taught and that still counts. */
	readonly lessons: () => readonly LearnedFact[];
	/** Forgets all lessons, so that everything is tried again; returns how many there were. */
	readonly forgetLessons: () => number;
	/** Sealed parts of a conversation that the server could not read, while this host runs. */
	readonly refusedSeals: (origin: string, model: string) => ReadonlySet<string>;
	readonly refuseSeals: (origin: string, model: string, seals: readonly string[]) => void;
	/** What the provider's last answer said that it still grants, while this host runs. */
	readonly rateLimits: (origin: string, model: string) => readonly RateLimit[];
	readonly noteRateLimits: (origin: string, model: string, limits: readonly RateLimit[]) => void;
}

/** `save` receives the whole state after every change. */
export function createServerMemory(
	start: KnownServers,
	save: (known: KnownServers) => void,
	now: () => number,
): ServerMemory {
	let known = start;
	const seals = new Map<string, ReadonlySet<string>>();
	const limits = new Map<string, readonly RateLimit[]>();
	const modelsAt = (origin: string): Readonly<Record<string, Stored>> =>
		Object.hasOwn(known.servers, origin) ? (known.servers[origin]?.models ?? {}) : {};
	const find = (origin: string, model: string): Stored => {
		const models = modelsAt(origin);
		return Object.hasOwn(models, model) ? (models[model] ?? {}) : {};
	};
	const change = (origin: string, model: string, next: Stored): void => {
		const { [model]: _, ...others } = modelsAt(origin);
		const models = Object.fromEntries([...Object.entries(others).slice(-(MAX_MODELS - 1)), [model, next]]);
		const { [origin]: __, ...servers } = known.servers;
		const kept = Object.entries(servers).slice(-(MAX_SERVERS - 1));
		known = { servers: Object.fromEntries([...kept, [origin, { models }]]) };
		save(known);
	};
	const listQuirks = (origin: string, model: string): readonly (readonly [Quirk, until: number])[] =>
		(find(origin, model).lessons ?? []).flatMap(({ quirk: name, at }) => {
			const quirk = QUIRKS.find((one) => one === name);
			const until = at + (quirk === "no-tools" ? NO_TOOLS_MS : LESSON_MS);
			return quirk === undefined || until <= now() ? [] : [[quirk, until] as const];
		});
	const listFacts = (origin: string, model: string): readonly LearnedFact[] => {
		const { learned } = find(origin, model);
		const window = isFresh(learned, now()) ? [{ fact: { window: learned.window }, until: learned.at + LESSON_MS }] : [];
		const quirks = listQuirks(origin, model).map(([fact, until]) => ({ fact, until }));
		return [...quirks, ...window].map((one) => ({ origin, model, ...one }));
	};
	const listAll = (): readonly LearnedFact[] =>
		Object.keys(known.servers).flatMap((origin) =>
			Object.keys(modelsAt(origin)).flatMap((model) => listFacts(origin, model)),
		);
	return {
		quirks: (origin, model) => new Set(listQuirks(origin, model).map(([quirk]) => quirk)),
		learnQuirk(origin, model, quirk) {
			if (listQuirks(origin, model).some(([one]) => one === quirk)) return;
			const before = find(origin, model);
			const lessons = (before.lessons ?? []).filter((lesson) => lesson.quirk !== quirk);
			change(origin, model, { ...before, lessons: [...lessons, { quirk, at: now() }].slice(-MAX_LESSONS) });
		},
		model(origin, model) {
			const { served, images, learned } = find(origin, model);
			return {
				...(served === undefined ? {} : { served }),
				...(images === undefined ? {} : { images }),
				...(isFresh(learned, now()) ? { learned: { window: learned.window, setting: learned.setting } } : {}),
			};
		},
		learnModel(origin, model, { served, images, learned }) {
			const before = find(origin, model);
			const isKnown = isFresh(before.learned, now()) && before.learned.window === learned?.window;
			const next = {
				...before,
				...(served === undefined ? {} : { served }),
				...(images === undefined ? {} : { images }),
				...(learned === undefined || (isKnown && before.learned?.setting === learned.setting)
					? {}
					: { learned: { ...learned, at: now() } }),
			};
			if (JSON.stringify(next) !== JSON.stringify(before)) change(origin, model, next);
		},
		lessons: listAll,
		forgetLessons() {
			const forgotten = listAll().length;
			seals.clear();
			const servers = Object.entries(known.servers).map(([origin, { models }]) => {
				const kept = Object.entries(models).map(([model, { learned: _, lessons: __, ...said }]) => [model, said]);
				return [origin, { models: Object.fromEntries(kept) }];
			});
			known = { servers: Object.fromEntries(servers) };
			save(known);
			return forgotten;
		},
		refusedSeals: (origin, model) => seals.get(`${origin} ${model}`) ?? NO_SEALS,
		refuseSeals(origin, model, refused) {
			const name = `${origin} ${model}`;
			seals.set(name, new Set([...(seals.get(name) ?? []), ...refused].slice(-MAX_SEALS)));
		},
		rateLimits: (origin, model) => currentLimits(limits.get(`${origin} ${model}`) ?? [], now()),
		noteRateLimits(origin, model, said) {
			// An answer without such headers, such as one of a cache before the provider, takes nothing back.
			if (said.length > 0) limits.set(`${origin} ${model}`, said);
		},
	};
}

const NO_SEALS: ReadonlySet<string> = new Set();

function isFresh(learned: Stored["learned"], now: number): learned is NonNullable<Stored["learned"]> {
	return learned !== undefined && learned.at + LESSON_MS > now;
}
