/** What a part that is read later draws: plain data, since it shares no code with the page. */
export type Drawn = string | DrawnElement;

export interface DrawnElement {
	readonly tag: string;
	readonly class?: string;
	readonly attributes?: Readonly<Record<string, string>>;
	readonly style?: Readonly<Record<string, string>>;
	readonly children: readonly Drawn[];
}
