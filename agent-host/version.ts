declare const VITRINE_VERSION: string | undefined;

/** Written in by the build; sources that run unbuilt have none. */
export const VERSION = typeof VITRINE_VERSION === "undefined" ? "0.0.0-source" : VITRINE_VERSION;
