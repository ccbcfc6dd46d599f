import type { EditedFile } from "../patch/edits-to-patch.ts";
import type { LanguageSymbol, Location, Place, Problem, WorkspaceTask } from "../protocol/host/language.ts";

/** What the editor's language servers say, reduced to what the turn may read. */
export interface LanguagePorts {
	/** Problems of these files, or of all. With `since`, waits until the servers have looked at them after that mark. */
	readonly problems: (asked: ProblemsAsked, signal: AbortSignal) => Promise<Told<FoundProblems>>;
	readonly locate: (of: LocateKind, at: Place, signal: AbortSignal) => Promise<Told<FoundLocations>>;
	readonly outline: (path: string, signal: AbortSignal) => Promise<Told<FoundSymbols>>;
	readonly symbols: (query: string, path: string | undefined, signal: AbortSignal) => Promise<Told<FoundSymbols>>;
	/** What the editor shows about a symbol, as Markdown. */
	readonly hover: (at: Place, signal: AbortSignal) => Promise<Told<{ readonly text: string }>>;
	/** The titles of the fixes for a line, or for a whole file. */
	readonly actions: (at: LineOf, signal: AbortSignal) => Promise<Told<{ readonly titles: readonly string[] }>>;
	/** The edits of one of them. */
	readonly action: (at: LineOf, title: string, signal: AbortSignal) => Promise<Told<FoundEdits>>;
	/** The edits that would rename a symbol. */
	readonly rename: (at: Place, newName: string, signal: AbortSignal) => Promise<Told<FoundEdits>>;
	readonly tasks: (signal: AbortSignal) => Promise<Told<{ readonly tasks: readonly WorkspaceTask[] }>>;
	/** The text of a file as the editor has it; unlike `readText`, the model is not shown it. */
	readonly peek: (path: string) => Promise<Told<{ readonly text: string }>>;
}

export type Told<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string };

/** Without a line, the whole file. */
export interface LineOf {
	readonly path: string;
	readonly line: number | undefined;
}

/** Edits, each with the text that it is about. */
export interface FoundEdits {
	readonly files: readonly EditedFile[];
}

export type LocateKind = "definition" | "typeDefinition" | "implementation" | "references";

export interface ProblemsAsked {
	readonly paths?: readonly string[];
	readonly since?: number;
}

export interface FoundProblems {
	readonly problems: readonly Problem[];
	readonly more: number;
	/** Files that no server has reported on. */
	readonly unchecked: readonly string[];
	readonly mark: number;
	/** Why the editor did not open some of them, in a sentence or two. */
	readonly withheld?: string;
}

/** A place in the code. Its line is absent where the file is outside the workspace. */
export interface Hit extends Location {
	readonly text?: string;
	readonly isOutside?: true;
}

export interface FoundLocations {
	readonly hits: readonly Hit[];
	readonly more: number;
}

export interface FoundSymbols {
	readonly symbols: readonly LanguageSymbol[];
	readonly more: number;
}
