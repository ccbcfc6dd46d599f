import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { drawDiagram } from "../../../../media/later/diagrams.ts";
import type { Drawn, DrawnElement } from "../../../../media/later/drawn.ts";

function everything(drawn: Drawn | undefined): readonly DrawnElement[] {
	if (drawn === undefined || typeof drawn === "string") return [];
	return [drawn, ...drawn.children.flatMap(everything)];
}

/** Everything that is written in a drawing, each label as one. */
function wordsIn(source: string): readonly string[] {
	const texts = everything(drawDiagram(source)).filter(({ tag }) => tag === "text");
	return texts.map(({ children }) =>
		children.map((child) => (typeof child === "string" ? child : child.children.join(""))).join(" "),
	);
}

function linesIn(source: string): readonly (string | undefined)[] {
	return everything(drawDiagram(source)).flatMap(({ class: name }) => (name?.includes("diagram-line") ? [name] : []));
}

test("a flowchart is drawn with every node, link, label and group", () => {
	const source = `%%{init: {"theme": "dark"}}%%
flowchart LR
  %% a comment
  A[Start] --> B{"Is it (really)?"}:::hot
  B -- yes --> C(Fine) & D([Done])
  B -->|no| E[[Other]]
  subgraph one [The one]
    E -.-> F{{Six}}
    F ==> G((Round))
  end
  G --- A;
  style A fill:#f00
  click A href "https://evil.example"`;
	assert.deepEqual(
		wordsIn(source).toSorted(),
		["Done", "Fine", "Is it (really)?", "Other", "Round", "Six", "Start", "The one", "no", "yes", "yes"].toSorted(),
	);
	assert.equal(linesIn(source).length, 7);
	assert.equal(linesIn(source).filter((line) => line?.includes("diagram-dotted")).length, 1);
	assert.equal(linesIn(source).filter((line) => line?.includes("diagram-thick")).length, 1);
});

test("states are drawn with their start and end, and with a group", () => {
	const source = `stateDiagram-v2
  [*] --> Waiting
  Waiting --> Running : a turn starts
  state Running {
    Reading --> Writing
  }
  Waiting --> [*]
  state "Stopped by the user" as Stopped
  Reading --> Stopped`;
	// A line to a group has no place of its own.
	assert.equal(drawDiagram(source), undefined);
	assert.deepEqual(wordsIn(source.replace("Waiting --> Running", "Waiting --> Reading")).toSorted(), [
		"Reading",
		"Running",
		"Stopped by the user",
		"Waiting",
		"Writing",
		"a turn starts",
	]);
});

test("a sequence is drawn from top to bottom, with notes and frames", () => {
	const source = `sequenceDiagram
  autonumber
  participant P as The panel
  P->>+Host: turn/start
  loop every step
    Host-->>P: deltas
    Host->>Host: think
  end
  alt allowed
    Host->>P: ran
  else denied
    Host-xP: did not
  end
  Note right of P: Nothing is lost`;
	assert.deepEqual(wordsIn(source).toSorted(), [
		"Host",
		"Nothing is lost",
		"The panel",
		"alt allowed",
		"deltas",
		"denied",
		"did not",
		"loop every step",
		"ran",
		"think",
		"turn/start",
	]);
	const messages = everything(drawDiagram(source)).filter(({ class: name }) => name === "diagram-line diagram-solid");
	const tops = messages.map(({ attributes }) => Number(/^M\S+ (\S+?)[hL]/.exec(attributes?.d ?? "")?.[1]));
	assert.deepEqual(
		tops,
		tops.toSorted((a, b) => a - b),
	);
});

for (const [what, source] of [
	["of an unsupported kind", 'pie title Pets\n "Dogs" : 3'],
	["that is only plain text", "hello"],
	["with an unknown line", "flowchart TD\n A --> B\n A @{ shape: rect } oh no"],
	["with an open shape", "flowchart TD\n A[oh --> B"],
	["with an unclosed group", "flowchart TD\n subgraph a\n B --> C"],
	["that closes a group it never opened", "sequenceDiagram\n A->>B: x\n end"],
	["of too many characters", `flowchart TD\n A --> B\n%%${"x".repeat(6_000)}`],
	["of too many nodes", `flowchart TD\n${Array.from({ length: 41 }, (_, index) => `n${index}`).join("\n")}`],
	["of too many links", `flowchart TD\n${"A & B & C --> D & E & F\n".repeat(7)}`],
	["of too many messages", `sequenceDiagram\n${"A->>B: x\n".repeat(101)}`],
] as const) {
	test(`a diagram ${what} is left as written`, () => assert.equal(drawDiagram(source), undefined));
}

const TAGS = /^(?:svg|g|rect|ellipse|path|text|tspan)$/;
const NAMES = /^(?:viewBox|width|height|role|x|y|rx|ry|cx|cy|d|text-anchor|dominant-baseline)$/;
const VALUES = /^(?:img|middle|central|[-\d. MLQHVZhv]+)$/;
const LOOKS = /^(?:diagram-[a-z]+ ?)+$/;

test("a drawing consists only of shapes with numbers and plain words, whatever its source", () => {
	const piece = fc.constantFrom(
		...'A B [ ] ( ) { } | " --> --- -.-> ==> -- & ; : subgraph end [*] state loop note over ->> <script>alert(1)</script> <img src=x> javascript:alert(1) click href style fill:url(x) url(https://evil.example) #quot; \u202e 字 \n \n \n'.split(
			" ",
		),
	);
	const head = fc.constantFrom("flowchart LR", "graph", "stateDiagram-v2", "sequenceDiagram");
	let drawn = 0;
	fc.assert(
		fc.property(head, fc.array(piece, { maxLength: 25 }), (first, pieces) => {
			const all = everything(drawDiagram(`${first}\n${pieces.join(" ")}`));
			drawn += all.length > 0 ? 1 : 0;
			for (const { tag, attributes = {}, class: look = "diagram-x", style = {} } of all) {
				assert.match(tag, TAGS);
				assert.match(look, LOOKS);
				for (const [name, value] of Object.entries(attributes)) {
					assert.match(name, NAMES);
					assert.match(value, VALUES);
				}
				for (const [name, value] of Object.entries(style))
					assert.match(`${name}: ${value}`, /^maxWidth: max\(100%, \d+px\)$/);
			}
		}),
		{ numRuns: 1_500 },
	);
	assert.ok(drawn > 20, String(drawn));
});
