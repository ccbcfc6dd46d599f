/**
 * The patch grammar for servers that constrain a model's output (Lark). Stricter than `read-line.ts`: its output needs
 * no leniency.
 */
export const PATCH_GRAMMAR = String.raw`
start: "*** Begin Patch" LF operation+ "*** End Patch" LF?
operation: add | delete | update
add: "*** Add File: " TEXT LF ("+" TEXT? LF)*
delete: "*** Delete File: " TEXT LF
update: "*** Update File: " TEXT LF ("*** Move to: " TEXT LF)? first hunk*
first: head? line+ end?
hunk: head line+ end?
head: "@@" (" " TEXT)? LF
line: (" " | "+" | "-") TEXT? LF
end: "*** End of File" LF
TEXT: /[^\r\n]+/
%import common.LF
`.trim();
