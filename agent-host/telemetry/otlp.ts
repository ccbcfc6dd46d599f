import type { Span } from "../protocol/host/telemetry.ts";

/** Spans in the JSON form of OTLP over HTTP. */
export function asOtlp(spans: readonly Span[], version: string): unknown {
	return {
		resourceSpans: [
			{
				resource: { attributes: toAttributes({ "service.name": "vitrine", "service.version": version }) },
				scopeSpans: [{ scope: { name: "vitrine", version }, spans: spans.map(asOtlpSpan) }],
			},
		],
	};
}

/** The address for traces of a collector. */
export function tracesAddress(endpoint: string): string {
	const path = "/v1/traces";
	return endpoint.endsWith(path) ? endpoint : `${endpoint.replace(/(?<!\/)\/+$/, "")}${path}`;
}

const KINDS = { internal: 1, client: 3 } as const;
const ERROR = 2;

function asOtlpSpan({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, error }: Span): unknown {
	const failed = error === undefined ? {} : { "error.type": error };
	return {
		traceId,
		spanId,
		...(parentId === undefined ? {} : { parentSpanId: parentId }),
		name,
		kind: KINDS[kind],
		startTimeUnixNano: nanoseconds(startMs),
		endTimeUnixNano: nanoseconds(endMs ?? startMs),
		attributes: toAttributes({ ...attributes, ...failed }),
		status: error === undefined ? {} : { code: ERROR, message: error },
	};
}

// As text: such a number is too large for JavaScript to represent exactly.
function nanoseconds(ms: number): string {
	return `${Math.floor(ms)}${String(Math.floor((ms % 1) * 1_000_000)).padStart(6, "0")}`;
}

function toAttributes(attributes: Span["attributes"]): unknown {
	return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number | boolean): unknown {
	if (typeof value === "string") return { stringValue: value };
	if (typeof value === "boolean") return { boolValue: value };
	return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
