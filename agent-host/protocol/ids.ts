import * as z from "zod";

// Ids become file names and DOM keys, so their alphabet is restricted, and only here.
const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "an id has 1 to 64 characters of a-z, 0-9 and -");

export const ThreadId = id.brand<"ThreadId">();
export type ThreadId = z.infer<typeof ThreadId>;

export const TurnId = id.brand<"TurnId">();
export type TurnId = z.infer<typeof TurnId>;

/** The client's id for something it sends, so that sending it twice is harmless. */
export const ClientId = z.string().min(1).max(64);

export const ItemId = id.brand<"ItemId">();
export type ItemId = z.infer<typeof ItemId>;
