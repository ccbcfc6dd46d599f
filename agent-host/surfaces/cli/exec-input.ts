import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { checkImage } from "../../history/image-facts.ts";
import { HostError } from "../../protocol/errors.ts";
import { MAX_IMAGE_BYTES, MAX_PROMPT_CHARS } from "../../protocol/limits.ts";
import { quote } from "../../protocol/say.ts";
import { MAX_ATTACHED_CHARS } from "../../protocol/thread/attached.ts";
import type { UserInput } from "../../protocol/thread/turn.ts";
import type { CommandIo } from "./cli-command.ts";
import type { ExecOptions } from "./exec-options.ts";

type Asked = Pick<ExecOptions, "prompt" | "files" | "images" | "stdin">;

/** What a task begins with: the prompt, and what is attached to it. */
export async function readInput({ prompt, files, images, stdin }: Asked, io: CommandIo): Promise<readonly UserInput[]> {
	const isAttached = prompt !== undefined;
	const piped =
		stdin || !isAttached ? await readText(io.stdin, isAttached ? MAX_ATTACHED_CHARS : MAX_PROMPT_CHARS) : "";
	const text = prompt ?? piped;
	if (text.trim() === "") throw refuse("There is no prompt: name one, or write it to standard input.");
	return [
		{ kind: "text", text },
		...(!isAttached || piped === "" ? [] : [{ kind: "excerpt" as const, title: "standard input", text: piped }]),
		...(await Promise.all(files.map(readable))).map((path) => ({ kind: "file" as const, path })),
		...(await Promise.all(images.map(readImage))),
	];
}

export type Json = Readonly<Record<string, unknown>>;

/** The JSON schema of the answer; the host reads it as it reads every request. */
export async function readSchema(file: string | undefined, cwd: string): Promise<Json | undefined> {
	if (file === undefined) return undefined;
	const text = await readFile(resolve(cwd, file), "utf8").catch(() => undefined);
	if (text === undefined) throw refuse(`${file} cannot be read.`);
	const schema = parseJson(text);
	if (typeof schema !== "object" || schema === null || Array.isArray(schema))
		throw refuse(`${file} is not a JSON schema.`);
	return schema as Json;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

async function readable(file: string): Promise<string> {
	if ((await stat(file).catch(() => undefined))?.isFile()) return file;
	throw refuse(`${file} is not a file.`);
}

async function readImage(file: string): Promise<UserInput> {
	const { size } = await stat(await readable(file));
	if (size > MAX_IMAGE_BYTES) throw refuse(`${file} is larger than ${MAX_IMAGE_BYTES / 1024 / 1024} MB.`);
	const read = checkImage(await readFile(file), file);
	if (!read.ok) throw refuse(read.reason);
	return { kind: "image", data: read.image.data };
}

async function readText(stream: Readable, limit: number): Promise<string> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	let text = "";
	try {
		for await (const chunk of stream) {
			text += decoder.decode(chunk as Buffer, { stream: true });
			if (text.length > limit)
				throw refuse(
					`Standard input is longer than ${limit} characters. Write it to a file and attach that with --file.`,
				);
		}
		return text + decoder.decode();
	} catch (error) {
		throw error instanceof HostError ? error : refuse("Standard input is not UTF-8 text.");
	}
}

function refuse(sentence: string): HostError {
	return new HostError("input-refused", quote(sentence));
}
