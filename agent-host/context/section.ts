import * as z from "zod";
import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { Fragment } from "./fragment.ts";

/** What the model was last told of a section. "unknown": it was told something that no longer parses. */
export type Previous<S> =
	| { readonly state: "absent" }
	| { readonly state: "unknown" }
	| { readonly state: "known"; readonly value: S };

/** One part of the world that the model is kept informed of. */
export interface Section {
	/** Persisted: never renamed. */
	readonly id: string;
	/** The parsed snapshot of today, as plain JSON. */
	readonly observe: (envelope: TurnEnvelope) => unknown;
	readonly previous: (told: WorldSnapshot) => Previous<unknown>;
	readonly render: (previous: Previous<unknown>, current: unknown) => Fragment;
}

/** What the model has been told, by section id. Persisted with the thread. */
export const WorldSnapshot = z.record(z.string(), z.unknown());
export type WorldSnapshot = z.infer<typeof WorldSnapshot>;

export function defineSection<S>(shape: {
	readonly id: string;
	readonly snapshot: z.ZodType<S>;
	readonly observe: (envelope: TurnEnvelope) => S;
	readonly render: (previous: Previous<S>, current: S) => Fragment;
}): Section {
	return {
		id: shape.id,
		observe: (envelope) => shape.observe(envelope),
		previous: (told) => previousOf(shape.id, shape.snapshot, told),
		// Both values come from this section's own schema: `previous` above and `observe`.
		render: (previous, current) => shape.render(previous as Previous<S>, current as S),
	};
}

function previousOf<S>(id: string, snapshot: z.ZodType<S>, told: WorldSnapshot): Previous<S> {
	if (!Object.hasOwn(told, id)) return { state: "absent" };
	// An older release may have stored another shape; the model was told something, we no longer know what.
	const parsed = snapshot.safeParse(told[id]);
	return parsed.success ? { state: "known", value: parsed.data } : { state: "unknown" };
}
