import { projectHistory } from "../../history/normalize.ts";
import type { ModelRequest } from "../port.ts";
import type { Quirks } from "./refusals/quirks.ts";

/** The request as a model sees it whose server has refused images: a note stands in the place of each. */
export function withinSight(request: ModelRequest, quirks: Quirks): ModelRequest {
	return quirks.has("no-images") ? { ...request, input: projectHistory(request.input, "text") } : request;
}
