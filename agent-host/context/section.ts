import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { Fragment } from "./fragment.ts";

/** What the model was last told about a section. "unknown": it was told something that no longer parses. */
export type Previous<S> =
	| { readonly state: "absent" }
	| { readonly state: "unknown" }
	| { readonly state: "known"; readonly value: S };

/** What a section may read besides its own data: the whole envelope, and which sections have already rendered. */
export interface RenderContext {
	readonly envelope: TurnEnvelope;
	readonly spoken: ReadonlySet<string>;
}

/** One part of the world that the model is kept informed of. */
export interface Section {
	/** Persisted: never renamed. */
	readonly id: string;
	/** The fragment kinds that describe it, its own kind first. */
	readonly kinds: readonly [own: string, ...others: string[]];
	/**
	 * The current snapshot as plain JSON; undefined if this turn has nothing to say and the last snapshot stays valid.
	 */
	readonly observe: (envelope: TurnEnvelope) => unknown;
	readonly previous: (told: WorldSnapshot) => Previous<unknown>;
	/** Returns undefined if nothing needs to be said, for example for a default that was never changed. */
	readonly render: (previous: Previous<unknown>, current: unknown, context: RenderContext) => Fragment | undefined;
}

/** What the model has been told, by section id. Persisted with the thread. */
export const WorldSnapshot = z.record(z.string(), z.unknown());
export type WorldSnapshot = z.infer<typeof WorldSnapshot>;

export function defineSection<S>(shape: {
	readonly id: string;
	readonly kinds: Section["kinds"];
	readonly snapshot: z.ZodType<S>;
	readonly observe: (envelope: TurnEnvelope) => S | undefined;
	readonly render: (previous: Previous<S>, current: S, context: RenderContext) => Fragment | undefined;
}): Section {
	/** Each turn asks again, and a snapshot is replaced instead of changed. */
	const read = new WeakMap<WorldSnapshot, Previous<S>>();
	return {
		id: shape.id,
		kinds: shape.kinds,
		observe: (envelope) => shape.observe(envelope),
		previous: (told) => {
			const previous = read.get(told) ?? readPrevious(shape.id, shape.snapshot, told);
			read.set(told, previous);
			return previous;
		},
		// Both values come from this section's own schema: `previous` above and `observe`.
		render: (previous, current, context) => shape.render(previous as Previous<S>, current as S, context),
	};
}

function readPrevious<S>(id: string, snapshot: z.ZodType<S>, told: WorldSnapshot): Previous<S> {
	if (!Object.hasOwn(told, id)) return { state: "absent" };
	// An older release may have stored another shape: the model was told something, but we no longer know what.
	const parsed = snapshot.safeParse(told[id]);
	return parsed.success ? { state: "known", value: parsed.data } : { state: "unknown" };
}

/** The fields of a snapshot that differ from what was told. */
export function changedFields<S extends object>(before: S, now: S): Partial<S> {
	const changed = Object.entries(now).filter(([key, value]) => !isDeepStrictEqual(value, before[key as keyof S]));
	return Object.fromEntries(changed) as Partial<S>;
}
