// The build gives this to the host's own files as "zod": a schema is built when it is first used. To start and run a turn, a
// host needs a quarter of its schemas; to build the others takes it a sixth more of the processor.
import * as zod from "zod";

export * from "zod";

type Schema = zod.ZodType;

/** Asks a schema that may be late for the one that it stands for. */
const BUILT = Symbol("built");

/** What makes another schema out of one, and so needs to build neither of them. Whatever else is asked of one builds it. */
const REFINING: ReadonlySet<string | symbol> = new Set([
	...["optional", "nullable", "nullish", "default", "prefault", "catch", "array", "describe"],
	...["min", "max", "int", "positive", "nonnegative", "regex", "startsWith", "trim", "overwrite"],
	...["refine", "superRefine", "transform", "pipe", "extend", "omit", "pick", "partial", "strict", "exclude", "and"],
]);

export const string = late(zod.string);
export const url = late(zod.url);
export const base64 = late(zod.base64);
export const number = late(zod.number);
export const int = late(zod.int);
export const boolean = late(zod.boolean);
export const literal = late(zod.literal);
export const unknown = late(zod.unknown);
export const json = late(zod.json);
export const custom = late(zod.custom);
export const object = late(zod.object);
export const looseObject = late(zod.looseObject);
export const strictObject = late(zod.strictObject);
export const record = late(zod.record);
export const array = late(zod.array);
export const tuple = late(zod.tuple);
export const union = late(zod.union);
export const discriminatedUnion = late(zod.discriminatedUnion);
export const optional = late(zod.optional);
export const preprocess = late(zod.preprocess);
const lateEnum = late(zod.enum);

export { lateEnum as enum };

/** Compares schemas by identity, so it is given the built one. */
export const toJSONSchema = ((schema: Schema, params: Parameters<typeof zod.toJSONSchema>[1]) =>
	zod.toJSONSchema(builtOf(schema) as Schema, params)) as typeof zod.toJSONSchema;

/** Makes schemas as `make` does, each when it is first used. */
function late<Make extends (...args: never[]) => Schema>(make: Make): Make {
	const makeLater = (...args: readonly unknown[]) => buildLater(() => make(...(args.map(builtOf) as never[])));
	return makeLater as unknown as Make;
}

/** Where the function that builds a schema is kept until it has been called, and then the schema. */
interface Place {
	build: (() => Schema) | undefined;
	schema: Schema | undefined;
}

function buildLater(build: () => Schema): Schema {
	return new Proxy<Place>({ build, schema: undefined }, HANDLER) as unknown as Schema;
}

const HANDLER: ProxyHandler<Place> = {
	get: (place, name) => {
		if (name === BUILT) return schemaIn(place);
		if (REFINING.has(name)) {
			return (...args: readonly unknown[]) =>
				buildLater(() => Reflect.get(schemaIn(place), name).apply(schemaIn(place), args.map(builtOf)));
		}
		return Reflect.get(schemaIn(place), name);
	},
	has: (place, name) => Reflect.has(schemaIn(place), name),
	getPrototypeOf: (place) => Reflect.getPrototypeOf(schemaIn(place)),
};

function schemaIn(place: Place): Schema {
	place.schema ??= place.build?.() as Schema;
	place.build = undefined;
	return place.schema;
}

/** An argument with built schemas in place of late ones, also one that is a list of them or the shape of an object. */
function builtOf(argument: unknown): unknown {
	if (typeof argument !== "object" || argument === null) return argument;
	const schema: unknown = Reflect.get(argument, BUILT);
	if (schema !== undefined) return schema;
	if (Array.isArray(argument)) return argument.map(builtOf);
	if (Object.getPrototypeOf(argument) !== Object.prototype) return argument;
	return Object.fromEntries(Object.entries(argument).map(([name, value]) => [name, builtOf(value)]));
}
