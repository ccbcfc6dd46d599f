import { ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import type * as z from "zod";
import { describeIssue } from "../../protocol/describe-issue.ts";
import { type ErrorData, HOST_ERRORS, HostError } from "../../protocol/errors.ts";

/** Parses params from the wire, or answers with the path of the invalid field. */
export function parseParams<S extends z.ZodType>(method: string, schema: S, raw: unknown): z.output<S> {
	const parsed = schema.safeParse(raw ?? {});
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const path = issue?.path.map(String).join(".") ?? "";
	const message = `${method}: ${path === "" ? "params" : path}: ${issue === undefined ? "is not valid" : describeIssue(issue)}`;
	throw new ResponseError(ErrorCodes.InvalidParams, message, { kind: "invalid-params", path });
}

/** A failure for the client: one it can act on keeps its message, anything else is a bug. */
export function asResponseError(error: unknown): ResponseError<ErrorData> {
	if (error instanceof ResponseError) return error;
	if (error instanceof HostError) {
		const { text, ...named } = error.said;
		return new ResponseError(HOST_ERRORS[error.kind], text, { kind: error.kind, ...named });
	}
	const message = "An internal error occurred in the agent host. See the log for details.";
	return new ResponseError(ErrorCodes.InternalError, message, { kind: "internal" });
}
