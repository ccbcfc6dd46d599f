import type * as z from "zod";

/** One request of the protocol: its name and the schemas that both sides parse with. */
export interface Method<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
	readonly name: string;
	readonly about: string;
	readonly params: P;
	readonly result: R;
}

/** One notification: like a method, without a reply. */
export interface Notification<P extends z.ZodType = z.ZodType> {
	readonly name: string;
	readonly about: string;
	readonly params: P;
}

export type ParamsOf<M extends { readonly params: z.ZodType }> = z.input<M["params"]>;
export type ParsedParamsOf<M extends { readonly params: z.ZodType }> = z.output<M["params"]>;
export type ResultOf<M extends Method> = z.output<M["result"]>;

export function defineMethod<P extends z.ZodType, R extends z.ZodType>(
	name: string,
	about: string,
	shape: { readonly params: P; readonly result: R },
): Method<P, R> {
	return { name, about, ...shape };
}

export function defineNotification<P extends z.ZodType>(name: string, about: string, params: P): Notification<P> {
	return { name, about, params };
}
