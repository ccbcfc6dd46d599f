import type { TestContext } from "node:test";
import * as z from "zod";
import { Settings } from "../../../agent-host/protocol/settings/settings.ts";

/** The shape of a group of settings, or undefined for a setting with a value of its own. */
function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
	if (schema instanceof z.ZodObject) return schema.shape;
	const isWrapped =
		schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
	return isWrapped ? shapeOf(schema.unwrap()) : undefined;
}

/** Every setting there is, such as `model.id`. */
export function settingNames(schema: unknown = Settings, before = ""): readonly string[] {
	const shape = shapeOf(schema);
	if (shape === undefined) return [before];
	const within = before === "" ? "" : `${before}.`;
	return Object.entries(shape).flatMap(([key, value]) => settingNames(value, within + key));
}

/** What takes settings as they are, from one place to another, is no use of them. */
const CARRIERS =
	/at deepFreeze |\/agent-host\/(?:protocol|store)\/|\/(?:envelope\/contract|session\/turn\/record-envelope)\.ts:/;

/** Notes which settings the host reads, of all that are put together in this process. */
export function watchSettings(t: TestContext, read: (setting: string) => void): void {
	const parse = Settings.parse;
	t.mock.method(Settings, "parse", (...given: Parameters<typeof parse>) => {
		const settings = parse(...given);
		watch(settings, Settings, "", read);
		return settings;
	});
}

function watch(value: object, schema: unknown, before: string, read: (setting: string) => void): void {
	for (const [key, inner] of Object.entries(shapeOf(schema) ?? {})) {
		const found: unknown = Reflect.get(value, key);
		const name = before + key;
		if (shapeOf(inner) !== undefined && typeof found === "object" && found !== null) {
			watch(found, inner, `${name}.`, read);
			continue;
		}
		const get = (): unknown => {
			const reader = (new Error().stack ?? "").split("\n").find((line) => line.includes("/agent-host/"));
			if (reader !== undefined && !CARRIERS.test(reader)) read(name);
			return found;
		};
		Object.defineProperty(value, key, { get, enumerable: key in value });
	}
}
