// Stands in for VS Code's native log writer, which takes half a minute to compile: the same calls, written to the file at once.
const { appendFileSync, mkdirSync } = require("node:fs");
const { dirname } = require("node:path");

const LEVELS = ["trace", "debug", "info", "warning", "error", "critical"];
const CALLS = { trace: 0, debug: 1, info: 2, warn: 3, error: 4, critical: 5 };

class Logger {
	#path;
	#level = 2;
	#isPlain = false;

	constructor(_type, _name, path) {
		this.#path = path;
		for (const [name, level] of Object.entries(CALLS)) this[name] = (message) => this.#write(level, message);
	}

	getLevel() {
		return this.#level;
	}

	setLevel(level) {
		this.#level = level;
	}

	setPattern() {
		this.#isPlain = false;
	}

	clearFormatters() {
		this.#isPlain = true;
	}

	flush() {}

	drop() {}

	#write(level, message) {
		if (level < this.#level) return;
		const time = new Date().toISOString().replace("T", " ").replace("Z", "");
		try {
			appendFileSync(this.#path, this.#isPlain ? message : `${time} [${LEVELS[level]}] ${message}\n`);
		} catch {
			// Its folder is gone, and with it whoever would read this.
		}
	}
}

async function createLogger(name, path) {
	mkdirSync(dirname(path), { recursive: true });
	return new Logger("rotating_async", name, path);
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
