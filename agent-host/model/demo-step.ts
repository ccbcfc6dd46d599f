/** What the demo model says and calls next. */
export interface DemoStep {
	readonly text: string;
	readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}
