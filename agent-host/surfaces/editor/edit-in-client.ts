import { pathToFileURL } from "node:url";
import * as z from "zod";
import { documentEncoding, documentUnsaved } from "../../protocol/host/document.ts";
import type { OpenDocuments } from "../../workspace/apply/open-documents.ts";
import type { Documents } from "./documents.ts";

/** How long the editor may take to report an edit that it says it has made. */
const REPORT_MS = 2_000;

const ApplyEditResult = z.object({ applied: z.boolean() });

/** Edits the editor's documents through the editor itself, on top of what the user has typed. */
export function createOpenDocuments(
	request: (method: string, params: object) => Promise<unknown>,
	documents: Documents,
): OpenDocuments {
	return {
		textOf: (path) => {
			const document = documents.find(path);
			return document === undefined ? undefined : { text: document.text, version: document.version };
		},
		edit: async (path, version, edits) => {
			const document = documents.find(path);
			// The editor compares the version too, and already knows changes that are on their way to us.
			if (document === undefined || document.version !== version) return false;
			const textDocument = { uri: document.uri, version };
			const edit = { documentChanges: [{ textDocument, edits }] };
			const { applied } = ApplyEditResult.parse(await request("workspace/applyEdit", { label: "Vitrine", edit }));
			return applied && (await waitForReport(documents, path, version));
		},
		encodingOf: async (path) => {
			const uri = documents.find(path)?.uri ?? pathToFileURL(path).href;
			const answer = await request(documentEncoding.name, { uri }).catch(() => ({}));
			return documentEncoding.result.safeParse(answer).data?.encoding;
		},
		isUnsaved: async (path) => {
			const uri = documents.find(path)?.uri ?? pathToFileURL(path).href;
			const answer = await request(documentUnsaved.name, { uri }).catch(() => ({}));
			return documentUnsaved.result.safeParse(answer).data?.isUnsaved ?? false;
		},
	};
}

/** The answer may overtake the report of the change. */
function waitForReport(documents: Documents, path: string, version: number): Promise<boolean> {
	const isNew = () => documents.find(path)?.version !== version;
	if (isNew()) return Promise.resolve(true);
	return new Promise((resolve) => {
		const finish = (result: boolean) => {
			clearTimeout(timer);
			stop();
			resolve(result);
		};
		const stop = documents.onChange(() => {
			if (isNew()) finish(true);
		});
		const timer = setTimeout(finish, REPORT_MS, false);
	});
}
