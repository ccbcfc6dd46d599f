// The build puts this in place of what the library chooses by platform.
export { default as process } from "node:process";
export { CORS_IS_POSSIBLE, DefaultJsonSchemaValidator } from "../../capabilities/servers/library-shims.ts";
