import { listLines, splitText } from "../patch/text-file.ts";

/** Limits of the lines that are named when the place is not clear. */
const MAX_CANDIDATES = 10;
const MAX_SHOWN = 120;

export type FoundPosition =
	| { readonly ok: true; readonly line: number; readonly character: number }
	| { readonly ok: false; readonly reason: string };

/**
 * Where a symbol is in a text, counted from 0. Models cannot count columns, so they give its name and the line, as a
 * number or as text. A place that is not clear is answered with the possible ones.
 */
export function findPosition(text: string, symbol: string, line: string | undefined): FoundPosition {
	const file = splitText(text);
	if ("refusal" in file) return { ok: false, reason: `The file ${file.refusal}.` };
	// `Class.method` and `Class#method` name the method.
	const name = symbol.split(/[.#/]|::/).findLast((part) => part !== "") ?? symbol;
	const all = listLines(file).flatMap((content, index) => {
		const character = findWord(content, name);
		return character === undefined ? [] : [{ line: index, character, content }];
	});
	const wanted = all.filter(({ line: at, content }) => line === undefined || isMeant(line, at, content));
	const [first, ...others] = wanted;
	if (first !== undefined && others.length === 0) return { ok: true, line: first.line, character: first.character };
	if (all.length === 0) return { ok: false, reason: `${name} does not occur in this file.` };
	const where = line === undefined ? "" : first === undefined ? " in that line" : " in several such lines";
	const problem = line === undefined ? "occurs in several lines" : first === undefined ? "is not" : "is";
	return {
		ok: false,
		reason: `${name} ${problem}${where}. Give line as one of:\n${list(wanted.length > 0 ? wanted : all)}`,
	};
}

/** A line by its number or text; one that is not clear is answered with the possible ones. */
export function findLine(text: string, line: string): FoundPosition {
	const file = splitText(text);
	if ("refusal" in file) return { ok: false, reason: `The file ${file.refusal}.` };
	const wanted = listLines(file).flatMap((content, index) =>
		isMeant(line, index, content) ? [{ line: index, content }] : [],
	);
	const [first, ...others] = wanted;
	if (first === undefined) return { ok: false, reason: "This file has no such line." };
	if (others.length > 0)
		return { ok: false, reason: `Several lines are like that. Give line as one of:\n${list(wanted)}` };
	return { ok: true, line: first.line, character: 0 };
}

/** A number, with or without what tools print after it, or the line's text in whatever spacing. */
function isMeant(asked: string, at: number, content: string): boolean {
	const number = /^(\d+):?$/.exec(asked.trim())?.[1];
	if (number !== undefined) return Number(number) === at + 1;
	const wanted = squeeze(asked);
	return wanted !== "" && squeeze(content).includes(wanted);
}

function squeeze(text: string): string {
	return text.replaceAll(/\s+/g, " ").trim();
}

/** The first occurrence that is not a part of a longer name. */
function findWord(content: string, name: string): number | undefined {
	for (let at = content.indexOf(name); at >= 0; at = content.indexOf(name, at + 1)) {
		if (!isNamePart(content[at - 1]) && !isNamePart(content[at + name.length])) return at;
	}
	return undefined;
}

function isNamePart(character: string | undefined): boolean {
	return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}

function list(lines: readonly { readonly line: number; readonly content: string }[]): string {
	const shown = lines
		.slice(0, MAX_CANDIDATES)
		.map(({ line, content }) => `${line + 1}: ${content.trim().slice(0, MAX_SHOWN)}`);
	const left = lines.length - shown.length;
	return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
}
