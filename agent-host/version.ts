declare const VITRINE_VERSION: string | undefined;

/** Set by the build; undefined in unbuilt sources. */
export const VERSION = typeof VITRINE_VERSION === "undefined" ? "0.0.0-source" : VITRINE_VERSION;
