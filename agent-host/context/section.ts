import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { Fragment } from "./fragment.ts";

/** What the model was last told of a section. "unknown": it was told something that no longer parses. */
export type Previous<S> =
	| { readonly state: "absent" }
	| { readonly state: "unknown" }
	| { readonly state: "known"; readonly value: S };

/** What else a section may look at when it speaks: the whole contract, and which sections have spoken before it. */
export interface Saying {
	readonly envelope: TurnEnvelope;
	readonly spoken: ReadonlySet<string>;
}

/** One part of the world that the model is kept informed of. */
export interface Section {
	/** Persisted: never renamed. */
	readonly id: string;
	/** The kinds of fragment that say something about it; its own first. */
	readonly kinds: readonly [own: string, ...others: string[]];
	/** The parsed snapshot of today, as plain JSON; undefined when this turn has nothing to say and what was told stands. */
	readonly observe: (envelope: TurnEnvelope) => unknown;
	readonly previous: (told: WorldSnapshot) => Previous<unknown>;
	/** Undefined where silence says it: a default that was never told otherwise. */
	readonly render: (previous: Previous<unknown>, current: unknown, saying: Saying) => Fragment | undefined;
}

/** What the model has been told, by section id. Persisted with the thread. */
export const WorldSnapshot = z.record(z.string(), z.unknown());
export type WorldSnapshot = z.infer<typeof WorldSnapshot>;

export function defineSection<S>(shape: {
	readonly id: string;
	readonly kinds: Section["kinds"];
	readonly snapshot: z.ZodType<S>;
	readonly observe: (envelope: TurnEnvelope) => S | undefined;
	readonly render: (previous: Previous<S>, current: S, saying: Saying) => Fragment | undefined;
}): Section {
	return {
		id: shape.id,
		kinds: shape.kinds,
		observe: (envelope) => shape.observe(envelope),
		previous: (told) => previousOf(shape.id, shape.snapshot, told),
		// Both values come from this section's own schema: `previous` above and `observe`.
		render: (previous, current, saying) => shape.render(previous as Previous<S>, current as S, saying),
	};
}

function previousOf<S>(id: string, snapshot: z.ZodType<S>, told: WorldSnapshot): Previous<S> {
	if (!Object.hasOwn(told, id)) return { state: "absent" };
	// An older release may have stored another shape; the model was told something, we no longer know what.
	const parsed = snapshot.safeParse(told[id]);
	return parsed.success ? { state: "known", value: parsed.data } : { state: "unknown" };
}

/** The fields of a snapshot that are not as they were told. */
export function changedFields<S extends object>(before: S, now: S): Partial<S> {
	const changed = Object.entries(now).filter(([key, value]) => !isDeepStrictEqual(value, before[key as keyof S]));
	return Object.fromEntries(changed) as Partial<S>;
}
