/** The part of the package that the tests use; it has no types of its own. */
declare module "oidc-provider" {
	import type { IncomingMessage, ServerResponse } from "node:http";

	export interface FoundToken {
		readonly accountId: string;
		readonly scope: string;
		destroy(): Promise<void>;
	}

	export const errors: { readonly InvalidRedirectUri: new () => Error };

	// biome-ignore lint/style/noDefaultExport: the package has one.
	export default class Provider {
		constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
		callback(): (request: IncomingMessage, response: ServerResponse) => void;
		interactionDetails(
			request: IncomingMessage,
			response: ServerResponse,
		): Promise<{
			readonly prompt: { readonly name: string };
			readonly params: Readonly<Record<string, string>>;
			readonly session?: { readonly accountId: string };
		}>;
		interactionFinished(
			request: IncomingMessage,
			response: ServerResponse,
			result: unknown,
			options: unknown,
		): Promise<void>;
		readonly Grant: new (of: {
			readonly accountId: string;
			readonly clientId: string;
		}) => {
			addOIDCScope(scope: string): void;
			addResourceScope(resource: string, scope: string): void;
			save(): Promise<string>;
		};
		readonly AccessToken: { find(token: string): Promise<FoundToken | undefined> };
	}
}
